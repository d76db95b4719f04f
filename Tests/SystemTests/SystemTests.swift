// Replaced by the tests of this layer.
