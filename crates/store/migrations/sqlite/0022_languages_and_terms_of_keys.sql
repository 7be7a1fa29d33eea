-- The language in which a person registered: en or ja. Nothing is known of accounts from before, nor of those that were
-- made on the command line; e-mails to them are in English.
ALTER TABLE account ADD COLUMN language TEXT;

-- Where a key may be used from: origins and networks, separated by commas. From everywhere without it.
ALTER TABLE api_key ADD COLUMN allowed_places TEXT;

-- When a key was rotated, and the lifetime that its successor takes over. Before, a key that was to end had been
-- rotated.
ALTER TABLE api_key ADD COLUMN rotated_at INTEGER;
ALTER TABLE api_key ADD COLUMN lifetime INTEGER;
UPDATE api_key SET rotated_at = expires_at WHERE expires_at IS NOT NULL;
