"""The parts of the page, one file each: what is released in, plain blocks out."""
