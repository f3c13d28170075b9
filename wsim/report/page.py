Asked = write_report = None
