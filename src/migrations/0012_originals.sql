-- The folder of the operator's bucket of originals that an account may read: NULL is none of it, '/' all of it.
ALTER TABLE accounts ADD COLUMN originals TEXT;
