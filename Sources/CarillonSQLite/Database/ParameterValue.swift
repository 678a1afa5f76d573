package import CarillonModel

/// A value that can be bound to a statement's parameter.
package protocol ParameterValue {
  func bind(to statement: Statement, _ index: Int32)
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) {
    if let self { self.bind(to: statement, index) } else { statement.bindNull(index) }
  }
}

extension EventID: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Identifier: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Int64: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Int: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, Int64(self)) }
}

extension UInt32: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, Int64(self)) }
}

/// Bound as 1 for true and 0 for false.
extension Bool: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self ? 1 : 0) }
}

extension String: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

/// Bytes that must stay in place until the statement has run.
extension UnsafeRawBufferPointer: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) {
    statement.bind(index, unowned: self)
  }
}

/// Bytes that are copied.
extension [UInt8]: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, copied: self) }
}

/// Bound as days since 1970-01-01.
extension CivilDate: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) {
    statement.bind(index, Int64(rawValue))
  }
}

/// Bound as minutes since midnight.
extension TimeOfDay: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) {
    statement.bind(index, Int64(minute))
  }
}

/// Bound as milliseconds since 1970 UTC.
extension Instant: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, milliseconds) }
}

/// Bound as a number.
extension LogPosition: ParameterValue {
  package func bind(to statement: Statement, _ index: Int32) {
    statement.bind(index, Int64(clamping: rawValue))
  }
}
