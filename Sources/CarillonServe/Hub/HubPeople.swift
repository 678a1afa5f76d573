#if Service
import ArgumentParser
import CarillonDocuments
import CarillonHub
import CarillonModel

/// `carillon hub people`: adds and lists people.
struct HubPeople: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people", abstract: "Add a person, or list all people.",
    subcommands: [HubPeopleList.self, HubPeopleAdd.self],
    defaultSubcommand: HubPeopleList.self)
}

/// `carillon hub people add`.
struct HubPeopleAdd: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a person without events.",
    discussion: """
      To bring a store that exists, give its ID, as in the status of the store; then invite its \
      device. With --count, many people are added at once, and their IDs printed one a line; \
      with --json, one JSON document a line.
      """)

  @Option(
    help: ArgumentHelp("The ID of the person's store (default: a new one).", valueName: "store-id"))
  var id: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many new people to add, up to 100000 (default: 1).", valueName: "n"))
  var count: String?
  @OptionGroup var flags: HubVerbFlags

  func perform() async throws {
    guard let count else { return try await addOne() }
    guard id == nil else {
      throw ServeFailure.usage(
        "--count: new people get new IDs", hint: "leave out --id, or --count")
    }
    let number = try (1...100_000).number(
      count, of: "--count", hint: "see carillon hub people add --help")
    try await flags.withDatabase(creates: true) { database in
      for _ in 0..<number {
        let person = StoreID.random()
        try await database.add(person, quota: HubQuota())
        output.answer("\(person)\n", HubPerson(person).json)
      }
    }
  }

  private func addOne() async throws {
    let person = try person()
    try await flags.withDatabase(creates: true) {
      try await $0.add(person, quota: HubQuota())
    }
    let invite = "carillon hub invite \(person) --role phone\(givenPlace)"
    output.answer(
      """
      Added person \(person). To invite a device to a hub behind a proxy that has the certificate:
      \(invite) --public-address https://hub.example
      To a hub with a certificate of its own, with the flags of the hub:
      \(invite) --listen 0.0.0.0:8787 --names hub.example --tls-certificate FILE --tls-key FILE

      """, HubPerson(person).json, quietly: "\(person)\n")
  }

  /// Returns the given ID, or a new one.
  private func person() throws(ServeFailure) -> StoreID {
    guard let id else { return .random() }
    guard let person = StoreID(id) else {
      throw .usage(
        "--id: \"\(id)\" is not the ID of a store",
        hint: "give the ID of the person's store: carillon status")
    }
    return person
  }
}

/// `carillon hub people list`.
struct HubPeopleList: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all people, one a line.",
    discussion: """
      A hub can have very many people, so with --json, too, each is one JSON document a line.
      """)

  @OptionGroup var flags: HubVerbFlags

  /// The command that adds a person.
  ///
  /// - Parameter place: The flags that name the database, after a space.
  static func adding(_ place: String) -> String { "carillon hub people add\(place)" }

  func perform() async throws {
    try await flags.withDatabase { database in
      var (isEmpty, failedCount) = (true, 0)
      try await database.forEachPerson { person in
        isEmpty = false
        if let problem = person.problem {
          person.report(problem)
          failedCount += 1
        } else {
          output.answer(person.line, person.json)
        }
      }
      guard failedCount == 0 else { throw ServeFailure.logs(failedCount) }
      if isEmpty {
        output.note("There are no people yet. To add the first one: \(Self.adding(givenPlace))")
      }
    }
  }
}

/// `carillon hub quota`.
struct HubQuotaVerb: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "quota", abstract: "Show or set how much a person may use.",
    discussion: """
      What a person has already stays. Over the quota of bytes, new events are refused; devices \
      keep them, and still receive those of others.
      """)

  @Argument(help: "The ID of the person's store.")
  var person: String
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The most bytes of the log.", valueName: "n"))
  var bytes: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The most devices with access.", valueName: "n"))
  var devices: String?
  @OptionGroup var flags: HubVerbFlags

  func perform() async throws {
    let id = try StoreID(person: person)
    let hint = "see carillon hub quota --help"
    let bytes = try bytes.map {
      try (0...Int.max).number(
        $0, of: "--bytes", hint: "give plain bytes, such as 1000000000 for 1 GB; \(hint)")
    }
    let devices = try devices.map { try (0...Int.max).number($0, of: "--devices", hint: hint) }
    let found = try await flags.withDatabase { database in
      guard var quota = try await database.person(id)?.quota else {
        throw ServeFailure.noPerson(id)
      }
      if bytes != nil || devices != nil {
        quota = HubQuota(
          bytes: bytes.map(UInt64.init) ?? quota.bytes, devices: devices ?? quota.devices)
        try await database.setQuota(quota, of: id)
      }
      return try await database.person(id)
    }
    guard let found else { throw ServeFailure.noPerson(id) }
    if let problem = found.problem { found.report(problem) }
    output.answer(found.line + found.excess, found.json, quietly: found.line)
  }
}

extension HubPerson {
  /// Names the person to standard error, where the verb goes on with the others.
  func report(_ problem: String) {
    StandardStream.errors.write("warning: person \(id): \(problem)".printable + "\n")
  }

  var json: JSON {
    [
      "person": .text(id), "events": .integer(eventCount), "bytes": .integer(byteCount),
      "maxBytes": .integer(quota.bytes), "devices": .integer(deviceCount),
      "maxDevices": .integer(quota.devices),
    ]
  }

  var line: String {
    "\(id)  \(Int(clamping: eventCount).counted("event"))  \(byteCount) of \(quota.bytes) bytes  "
      + "\(deviceCount) of \(quota.devices.counted("device"))\n"
  }

  /// What the person uses beyond the quota, one sentence a line; empty if that is nothing.
  fileprivate var excess: String {
    (byteCount > quota.bytes
      ? "The person uses more bytes than that: new events are refused, and what is there stays.\n"
      : "")
      + (deviceCount > quota.devices
        ? "The person has more devices than that: they keep their access, and none can join.\n"
        : "")
  }
}

extension ServeFailure {
  /// The logs of some people cannot be used, and the verb has gone on with the others.
  static func logs(_ count: Int) -> ServeFailure {
    ServeFailure(
      status: .badData, code: LogErrorCode.corrupt.rawValue,
      message: "the logs of \(count.counted("person", "people")) cannot be used",
      hint: "put their files back from a backup, or erase them with carillon hub erase")
  }

  /// There is no such person.
  static func noPerson(_ id: StoreID) -> ServeFailure {
    ServeFailure(
      status: .notFound, message: "there is no person \(id)",
      hint: "list the people: carillon hub people list")
  }
}
#endif
