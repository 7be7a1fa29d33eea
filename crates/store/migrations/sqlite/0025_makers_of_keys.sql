-- Who made a key in the console. A key of the scope operator stops being one when its maker is no operator any more.
-- Nothing is known of keys that were made on the command line, or before.
ALTER TABLE api_key ADD COLUMN made_by TEXT;
