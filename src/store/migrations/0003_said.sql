-- What was said beside fixes (activities, profiles, marks, conditions) is seldom; it is found without reading the fixes.
CREATE INDEX log_said ON log (kind, t) WHERE kind IN (1, 2, 3, 4);
