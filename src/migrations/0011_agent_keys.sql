-- Keys for agents open one entrance, and may have so many images processed on one day; other keys have none.
ALTER TABLE keys ADD COLUMN daily_limit INTEGER;
