-- The language in which a person registered: en or ja. Nothing is known of accounts from before, nor of those that were
-- made on the command line; e-mails to them are in English.
ALTER TABLE account ADD COLUMN language TEXT;
