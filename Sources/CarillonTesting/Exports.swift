@_exported public import class CarillonLog.InMemoryEventLog
