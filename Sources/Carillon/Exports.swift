// What `import Carillon` shows of the modules below: what an app needs. A log of your own is
// written against the whole of CarillonModel, which has the port (`EventLog`) and its types.

// Time and identity.
@_exported public import struct CarillonModel.CivilDate
@_exported public import struct CarillonModel.CivilDateTime
@_exported public import struct CarillonModel.DayWindow
@_exported public import typealias CarillonModel.EntryID
@_exported public import struct CarillonModel.EventID
@_exported public import typealias CarillonModel.HabitID
@_exported public import struct CarillonModel.Identifier
@_exported public import struct CarillonModel.Instant
@_exported public import struct CarillonModel.LogPosition
@_exported public import typealias CarillonModel.PauseID
@_exported public import typealias CarillonModel.ReplicaID
@_exported public import typealias CarillonModel.ScheduleID
@_exported public import struct CarillonModel.SequenceNumber
@_exported public import typealias CarillonModel.StoreID
@_exported public import struct CarillonModel.StoredEvent
@_exported public import struct CarillonModel.TimeOfDay
@_exported public import struct CarillonModel.Timestamp
@_exported public import enum CarillonModel.Weekday

// Errors.
@_exported public import struct CarillonModel.CodedError

// Options.
@_exported public import enum CarillonModel.Durability

// Habits.
@_exported public import struct CarillonModel.Adherence
@_exported public import struct CarillonModel.Amount
@_exported public import enum CarillonModel.DayMark
@_exported public import struct CarillonModel.DigestRule
@_exported public import enum CarillonModel.EntryKind
@_exported public import struct CarillonModel.Habit
@_exported public import struct CarillonModel.HabitEntry
@_exported public import enum CarillonModel.InterruptionLevel
@_exported public import struct CarillonModel.Pause
@_exported public import enum CarillonModel.QuietPolicy
@_exported public import struct CarillonModel.Quota
@_exported public import struct CarillonModel.Recurrence
@_exported public import struct CarillonModel.Schedule
@_exported public import enum CarillonModel.ScheduleZone
@_exported public import struct CarillonModel.Snooze
@_exported public import struct CarillonModel.StoreSettings

// Devices.
@_exported public import struct CarillonModel.Alerts
@_exported public import enum CarillonModel.Blocked
@_exported public import struct CarillonModel.Device
@_exported public import struct CarillonModel.DeviceDescription
@_exported public import struct CarillonModel.Permission
@_exported public import enum CarillonModel.SystemCapacity

// The plan.
@_exported public import struct CarillonModel.DeliveredNotification
@_exported public import struct CarillonModel.Explanation
@_exported public import struct CarillonModel.LeftOutSchedule
@_exported public import enum CarillonModel.NotificationID
@_exported public import struct CarillonModel.NotificationPlan
@_exported public import struct CarillonModel.NotificationRequest
@_exported public import protocol CarillonModel.NotificationScheduler
@_exported public import struct CarillonModel.OccurrenceID
@_exported public import struct CarillonModel.PlanProblem
@_exported public import struct CarillonModel.RequestContent
@_exported public import struct CarillonModel.RequestID
@_exported public import struct CarillonModel.RequestTrigger
@_exported public import struct CarillonModel.ScheduledRequest

// Receipts.
@_exported public import struct CarillonModel.Receipt
@_exported public import enum CarillonModel.ReceiptState
@_exported public import enum CarillonModel.ReceiptSubject
@_exported public import enum CarillonModel.ResponseAction

// Events.
@_exported public import struct CarillonModel.AlertsSet
@_exported public import struct CarillonModel.AppActive
@_exported public import struct CarillonModel.BranchesClosed
@_exported public import struct CarillonModel.DayMarked
@_exported public import struct CarillonModel.DeviceSet
@_exported public import struct CarillonModel.EntryRecorded
@_exported public import struct CarillonModel.EntryVoided
@_exported public import struct CarillonModel.Erasure
@_exported public import struct CarillonModel.HabitArchivedSet
@_exported public import struct CarillonModel.HabitDeleted
@_exported public import struct CarillonModel.HabitFields
@_exported public import struct CarillonModel.HabitRestored
@_exported public import struct CarillonModel.ImportFinished
@_exported public import struct CarillonModel.ItemObserved
@_exported public import struct CarillonModel.NoteRecorded
@_exported public import enum CarillonModel.Payload
@_exported public import struct CarillonModel.PermissionAsked
@_exported public import struct CarillonModel.PermissionChanged
@_exported public import struct CarillonModel.PlanSubmitted
@_exported public import struct CarillonModel.PushReceived
@_exported public import struct CarillonModel.PushTokenSet
@_exported public import struct CarillonModel.ReceiptAdvanced
@_exported public import struct CarillonModel.ResponseRecorded
@_exported public import struct CarillonModel.ScheduleRemoved
@_exported public import struct CarillonModel.ScheduleSet
@_exported public import struct CarillonModel.SettingsSet
@_exported public import struct CarillonModel.SnoozeSet
@_exported public import struct CarillonModel.WakeFinished

// Sync.
@_exported public import struct CarillonSync.SyncOptions
@_exported public import struct CarillonSync.SyncReport
@_exported public import struct CarillonSync.SyncProgress
