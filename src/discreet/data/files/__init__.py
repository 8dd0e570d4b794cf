"""Files in and out: compression, encodings, delimited text, Parquet, Excel, atomic writing."""
