-- The verdicts in effect on one model, dataset or collection, which a server reads when that is first asked for. The
-- order of the pages is that of columns that never change.
CREATE INDEX feedback_by_source ON feedback (task, model, recognition_id, item_id) WHERE standing = 'active';
