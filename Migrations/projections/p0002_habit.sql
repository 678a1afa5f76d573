-- The habits that were created. A grow set: an edit may come before it, and shows nothing until.
CREATE TABLE habit (
  -- HabitID, 16 bytes.
  habit BLOB NOT NULL PRIMARY KEY,
  -- EventID of the first creation, 32 bytes: the least.
  event BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The fields of habits, each a register: the greatest event ID holds.
CREATE TABLE habit_field (
  -- HabitID, 16 bytes.
  habit BLOB NOT NULL,
  -- The field's number in carillon.v1.HabitFields.
  field INTEGER NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- Text or a number as the field has it; dates are days since 1970-01-01. NULL: cleared.
  value ANY,
  PRIMARY KEY (habit, field)
) STRICT, WITHOUT ROWID;

-- Whether a habit is archived: a register.
CREATE TABLE habit_archived (
  -- HabitID, 16 bytes.
  habit BLOB NOT NULL PRIMARY KEY,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- 1 hides the habit.
  archived INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Deletes of habits: removal by name. A habit is deleted while one delete is not restored; a
-- restore may come before the delete that it names.
CREATE TABLE habit_delete (
  -- HabitID, 16 bytes.
  habit BLOB NOT NULL,
  -- EventID of the delete, 32 bytes.
  event BLOB NOT NULL,
  -- 1: the delete itself was seen.
  deleted INTEGER NOT NULL,
  -- 1: a restore names it.
  restored INTEGER NOT NULL,
  PRIMARY KEY (habit, event)
) STRICT, WITHOUT ROWID;

-- Slots, set and removed: one register.
CREATE TABLE slot (
  -- HabitID, 16 bytes.
  habit BLOB NOT NULL,
  -- SlotID, 16 bytes.
  slot BLOB NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- The payload of the slot.set, byte for byte. NULL: removed.
  payload BLOB,
  PRIMARY KEY (habit, slot)
) STRICT, WITHOUT ROWID;

-- Pauses, each a register: of a pause's rows the one with the greatest event holds. There is a row
-- for each habit that it ever named, so that erasing one brings back what was said before.
CREATE TABLE pause (
  -- PauseID, 16 bytes.
  pause BLOB NOT NULL,
  -- HabitID, 16 bytes. Empty: all habits.
  habit BLOB NOT NULL,
  -- EventID, 32 bytes.
  event BLOB NOT NULL,
  -- Days since 1970-01-01.
  first INTEGER NOT NULL,
  -- Days since 1970-01-01. NULL: open.
  last INTEGER,
  PRIMARY KEY (pause, habit)
) STRICT, WITHOUT ROWID;
