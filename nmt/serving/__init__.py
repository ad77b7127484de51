"""A small HTTP server for exported models, with TensorFlow Serving's REST API."""
