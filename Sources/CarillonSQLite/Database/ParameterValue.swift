internal import CarillonModel

/// A value that a statement's parameter can have.
protocol ParameterValue {
  func bind(to statement: Statement, _ index: Int32)
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) {
    if let self { self.bind(to: statement, index) } else { statement.bindNull(index) }
  }
}

extension EventID: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Identifier: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Int64: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Int: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, Int64(self)) }
}

extension UInt32: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, Int64(self)) }
}

/// 1 for true.
extension Bool: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self ? 1 : 0) }
}

extension String: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

/// Bytes that stay where they are until the statement ran.
extension UnsafeRawBufferPointer: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, unowned: self) }
}

/// Bytes, which are copied.
extension [UInt8]: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, copied: self) }
}

/// Days since 1970-01-01.
extension CivilDate: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, Int64(rawValue)) }
}

/// Minutes since midnight.
extension TimeOfDay: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, Int64(minute)) }
}

/// Milliseconds since 1970 UTC.
extension Instant: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) { statement.bind(index, milliseconds) }
}

/// A place in a log.
extension Position: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) {
    statement.bind(index, Int64(clamping: rawValue))
  }
}
