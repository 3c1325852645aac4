encode_typed_data = None
