#if Service
internal import CPostgres
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import Foundation

/// A connection to the server.
///
/// Statements that need no answer wait, and travel with the next one that does. A running statement
/// is never cancelled: a server whose wait for a standby is cancelled reports success. Instead, the
/// connection is closed at the deadline.
///
/// Sendable: one thread at a time uses it, and ``PostgresPool`` hands it over under its lock.
final class PostgresConnection: @unchecked Sendable {
  /// Nil after a failure that leaves the connection in an unknown state.
  private var handle: OpaquePointer?
  private let options: PostgresOptions
  private var waiting: [PostgresStatement] = []
  /// The names of the statements that the server has prepared.
  private var prepared: [PostgresStatement.Text: String] = [:]
  private var lastName = 0
  private let notices = Notices()
  /// Whether a commit was not acknowledged because the server made no copy of it.
  private(set) var lacksCopies = false

  /// The warnings that the server sent during a commit.
  private final class Notices {
    var hasWarning = false
  }

  /// - Throws: `busy` if the server cannot be reached, accepts no connection or no writes; `io` if
  ///   the connection string of the options is not valid.
  init(_ options: PostgresOptions) throws(LogError) {
    self.options = options
    try ConnectionString.check(options.database)
    let seconds = max(2, Int((options.deadline / .seconds(1)).rounded(.up)))
    // A later value of a keyword replaces an earlier one, so the string may set all of them.
    let parameters = [
      ("connect_timeout", "\(seconds)"), ("target_session_attrs", "read-write"),
      ("application_name", "carillon"), ("dbname", options.database),
    ]
    let keywords = parameters.map { strdup($0.0) }
    let values = parameters.map { strdup($0.1) }
    defer { for text in keywords + values { free(text) } }
    let opened = (keywords.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keywords in
      (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
        PQconnectdbParams(keywords.baseAddress, values.baseAddress, 1)
      }
    }
    handle = opened
    let problem = Self.message(of: opened)
    let obstacle = Self.obstacle(to: opened, problem)
    guard let opened, PQstatus(opened) == CONNECTION_OK else {
      close()
      throw .refused(by: obstacle, problem)
    }
    PQsetNoticeReceiver(
      opened,
      { context, result in
        guard let context, let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))),
          let state = PQresultErrorField(result, Int32(UInt8(ascii: "C")))
        else { return }
        if String(cString: severity) == "WARNING" || String(cString: state).hasPrefix("01") {
          Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().hasWarning = true
        }
      }, Unmanaged.passUnretained(notices).toOpaque())
    guard PQsetnonblocking(opened, 1) == 0, PQenterPipelineMode(opened) == 1 else { throw lost() }
    do {
      try start()
    } catch {
      close()
      throw error
    }
  }

  deinit { close() }

  /// Whether no further statement can be sent.
  var isClosed: Bool { handle == nil }

  /// Whether the connection is open, in no transaction, and without waiting statements.
  var isIdle: Bool {
    waiting.isEmpty && handle.map { PQtransactionStatus($0) == PQTRANS_IDLE } ?? false
  }

  /// Closes the connection; the server rolls back what was not committed.
  func close() {
    if let handle { PQfinish(handle) }
    handle = nil
    waiting = []
  }

  /// Adds a statement whose rows are not needed to those that the next ``rows(_:)`` sends.
  func add(_ statement: PostgresStatement) {
    waiting.append(statement)
  }

  /// Sends the waiting statements and these, and returns the rows of these.
  ///
  /// - Throws: The error of the first statement that failed; no later one was run.
  func rows(_ statements: PostgresStatement...) throws(LogError) -> [PostgresRows] {
    try rows(statements)
  }

  /// Sends the waiting statements and these, and returns the rows of these.
  ///
  /// - Throws: As for a list of arguments.
  func rows(_ statements: [PostgresStatement]) throws(LogError) -> [PostgresRows] {
    let all = waiting + statements
    waiting = []
    return Array(try run(all).suffix(statements.count))
  }

  /// Commits the transaction with the waiting statements.
  ///
  /// - Returns: The rows of these.
  /// - Throws: `unknownOutcome` if the server did not acknowledge the commit, or warned while it
  ///   did.
  @discardableResult
  func commit() throws(LogError) -> [PostgresRows] {
    notices.hasWarning = false
    let count = waiting.count
    // One look at the setting finds a server whose copies were turned off.
    let all =
      waiting + [
        options.migrations.check, PostgresStatement(Self.copies), PostgresStatement("COMMIT"),
      ]
    waiting = []
    let rows: [PostgresRows]
    do {
      rows = try run(all)
    } catch {
      // If a statement was refused, so was the commit after it.
      if let state = (error.cause as? PostgresFailure)?.state, !isClosed,
        SQLState(state).isBeforeCommit
      {
        throw error
      }
      close()
      lacksCopies = error.obstacle == .silent && Self.lacksCopies(options)
      throw .unknownOutcome(error.message, lacksCopies ? .noCopies : error.obstacle)
    }
    guard !notices.hasWarning else {
      close()
      throw .unknownOutcome("the server warned that a copy may be missing")
    }
    guard !options.requiresCopies || rows[count + 1].text(0, 0) != "" else {
      close()
      lacksCopies = true
      throw .unknownOutcome("the server no longer makes copies", .noCopies)
    }
    return Array(rows.prefix(count))
  }

  /// Checks that commits reach a synchronous copy, if the server waits for one or the options ask
  /// for it.
  ///
  /// Any role sees that there is a standby, and what its own commits wait for. Only some see which
  /// standbys are synchronous.
  ///
  /// - Throws: `busy` if they do not.
  func requireCopies() throws(LogError) {
    let milliseconds = max(1, Int(options.deadline / .milliseconds(2)))
    let found = try rows(
      PostgresStatement(
        """
        SELECT current_setting('synchronous_standby_names') <> '',
          EXISTS (
            SELECT FROM pg_stat_replication
            WHERE (sync_state IN ('sync', 'quorum')) IS NOT false
          ) AND NOT EXISTS (
            SELECT FROM pg_stat_activity
            WHERE usename = current_user AND wait_event = 'SyncRep'
              AND query_start < clock_timestamp() - interval '\(milliseconds) milliseconds'
          )
        """))[0]
    guard found.flag(0, 0) else {
      guard options.requiresCopies else { return }
      throw .refused(by: .noCopies, "synchronous_standby_names is empty")
    }
    guard found.flag(0, 1) else {
      throw .refused(by: .noCopies, "no synchronous standby confirms commits")
    }
  }

  /// Ends the transaction without its waiting statements; closes the connection if that fails.
  func rollBack() {
    waiting = []
    // The server may have seen none of the transaction.
    guard !isClosed, !isIdle else { return }
    do { _ = try rows(PostgresStatement("ROLLBACK")) } catch { close() }
  }

  // MARK: -

  private static let copies = "SELECT current_setting('synchronous_standby_names')"

  /// Returns why a connection could not be opened.
  ///
  /// The library tells the SQLSTATE of a refusal only in the short form of its messages, and this
  /// form can be chosen only before another attempt, which may count as a wrong login. So the words
  /// of an English server are looked up first. Without them it asks again, which may open the
  /// connection.
  ///
  /// - Parameter problem: The library's message.
  private static func obstacle(to handle: OpaquePointer?, _ problem: String) -> HubObstacle {
    // The library's own words have no SQLSTATE.
    for (words, obstacle) in refusals where problem.contains(words) { return obstacle }
    // Two spaces follow the severity of a server's message, in any language.
    if let handle, problem.contains(":  ") {
      PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
      PQreset(handle)
      PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
      let state = message(of: handle).firstMatch(of: /:  ([0-9A-Z]{5})(?:\n|$)/)?.output.1
      if let obstacle = state.flatMap({ SQLState(String($0)).obstacle }) { return obstacle }
    }
    return .unreachable
  }

  /// What refusals of connections say, of the library and of an English server.
  private static let refusals: [(String, HubObstacle)] = [
    ("session is read-only", .readOnly), ("no password supplied", .noLogin),
    ("password authentication failed", .noLogin), ("is not permitted to log in", .noLogin),
    ("no pg_hba.conf entry", .noLogin), ("too many clients already", .noConnections),
    ("too many connections for", .noConnections), ("are reserved for", .noConnections),
    ("the database system is", .unreachable),
  ]

  /// Asks the server on another connection whether commits reach no copy.
  private static func lacksCopies(_ options: PostgresOptions) -> Bool {
    var options = options
    // The caller has waited for long.
    options.deadline = min(options.deadline, .seconds(2))
    do throws(LogError) {
      let connection = try PostgresConnection(options)
      defer { connection.close() }
      try connection.requireCopies()
      return false
    } catch {
      return error.obstacle == .noCopies
    }
  }

  private func start() throws(LogError) {
    let milliseconds = max(1, Int(options.deadline / .milliseconds(2)))
    add(PostgresStatement("SET synchronous_commit = on"))
    add(PostgresStatement("SET lock_timeout = \(milliseconds)"))
    // A process that is stopped in a transaction must not keep others from its locks.
    add(PostgresStatement("SET idle_in_transaction_session_timeout = '10s'"))
    // A connection that ends while it rests ends its share of the lock of DatabaseUse. PostgreSQL
    // has the setting since version 14.
    if let handle, PQserverVersion(handle) >= 140_000 {
      add(PostgresStatement("SET idle_session_timeout = 0"))
    }
    let answers = try rows(DatabaseUse.begin(options.use))
    guard answers[0].flag(0, 0) else { throw options.use.refusal }
  }

  /// Sends statements at once, and returns the rows of all.
  private func run(_ statements: [PostgresStatement]) throws(LogError) -> [PostgresRows] {
    guard let handle else { throw .busy("the connection was lost", retryAfter: options.retryAfter) }
    let end = ContinuousClock.now + options.deadline
    var names = prepared
    // For each result that will come: the text that is being prepared, or nil for a statement.
    var texts: [PostgresStatement.Text?] = []
    for statement in statements {
      let text = statement.text
      if let text, names[text] == nil, names.count < Self.maxPrepared {
        guard let name = prepare(text, on: handle) else { throw lost() }
        names[text] = name
        texts.append(text)
      }
      guard statement.send(as: text.flatMap { names[$0] }, on: handle) else { throw lost() }
      texts.append(nil)
    }
    guard PQpipelineSync(handle) == 1 else { throw lost() }
    var rows: [PostgresRows] = []
    var refusal: LogError?
    var answered = texts.makeIterator()
    while true {
      try wait(handle, until: end)
      // Nil ends the results of one statement.
      guard let result = PQgetResult(handle) else { continue }
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        if let refusal { throw refusal }
        guard rows.count == statements.count else { throw lost() }
        return rows
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
        if let text = answered.next() ?? nil {
          prepared[text] = names[text]
          PQclear(result)
        } else {
          rows.append(PostgresRows(result))
        }
      case PGRES_PIPELINE_ABORTED:
        _ = answered.next()
        PQclear(result)
      default:
        _ = answered.next()
        refusal = refusal ?? error(of: result)
        PQclear(result)
        // After the server's last words no more results come.
        if PQstatus(handle) != CONNECTION_OK { throw lost() }
      }
    }
  }

  /// The number of statements above which others are not prepared.
  private static let maxPrepared = 256

  /// Sends a request to prepare a statement, and returns its name, which is a new one: an earlier
  /// request for it may have been aborted.
  private func prepare(_ text: PostgresStatement.Text, on handle: OpaquePointer) -> String? {
    lastName += 1
    let name = "carillon\(lastName)"
    let isSent = PQsendPrepare(handle, name, text.sql, Int32(text.types.count), text.types)
    return isSent == 1 ? name : nil
  }

  /// Waits until a result can be taken without blocking.
  private func wait(
    _ handle: OpaquePointer, until end: ContinuousClock.Instant
  ) throws(LogError) {
    while true {
      let unsent = PQflush(handle)
      guard unsent >= 0 else { throw lost() }
      guard unsent > 0 || PQisBusy(handle) == 1 else { return }
      let left = end - .now
      var descriptor = pollfd(
        fd: PQsocket(handle), events: Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0), revents: 0)
      let ready =
        left > .zero ? poll(&descriptor, 1, Int32((left / .milliseconds(1)).rounded(.up))) : 0
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else {
        close()
        throw .refused(by: .silent, "a statement has no result in time")
      }
      guard PQconsumeInput(handle) == 1 else { throw lost() }
    }
  }

  /// Closes the connection, and returns the error.
  private func lost() -> LogError {
    let problem = Self.message(of: handle)
    close()
    return .busy(problem, retryAfter: options.retryAfter)
  }

  private func error(of result: OpaquePointer) -> LogError {
    let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
    let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
    guard let state, let message else { return lost() }
    return .postgres(state, message, retryAfter: options.retryAfter)
  }

  private static func message(of handle: OpaquePointer?) -> String {
    let text = handle.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
#endif
