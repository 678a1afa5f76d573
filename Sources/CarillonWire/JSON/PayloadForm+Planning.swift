internal import CarillonModel

/// What was put off, what was given to the system, and the store's settings.
extension PayloadForm {
  /// One payload of each of these kinds, to be filled by reading.
  static let planningBlanks: [Payload] = {
    let nominal = CivilDateTime(date: CivilDate(rawValue: 0), time: .midnight)
    return [
      .snoozeSet(
        SnoozeSet(
          habit: HabitID(high: 0, low: 0),
          snooze: Snooze(slot: SlotID(high: 0, low: 0), nominal: nominal, until: nil))),
      .planSubmitted(
        PlanSubmitted(
          added: 0, removed: 0, idsDigest: [], coverageUntil: nil, dropped: 0, capacity: 0)),
      .settingsSet(SettingsSet(name: "", value: nil)), erasureBlank,
      .branchesClosed(BranchesClosed(heads: [])),
    ]
  }()

  static func planningFields(
    of payload: inout Payload, _ form: inout JSONForm
  ) throws(ModelError) {
    switch payload {
    case .snoozeSet(var value):
      try snoozeSet(&value, &form)
      payload = .snoozeSet(value)
    case .planSubmitted(var value):
      try planSubmitted(&value, &form)
      payload = .planSubmitted(value)
    case .settingsSet(var value):
      try form.required("setting", &value.name)
      try form.optional("value", &value.value)
      payload = .settingsSet(value)
    case .dataErased(var value):
      try dataErased(&value, &form)
      payload = .dataErased(value)
    case .branchesClosed(var value):
      try branchesClosed(&value, &form)
      payload = .branchesClosed(value)
    default: break
    }
  }

  private static func branchesClosed(
    _ closed: inout BranchesClosed, _ form: inout JSONForm
  ) throws(ModelError) {
    let blank = Head(
      replica: ReplicaID(high: 0, low: 0), sequence: .first, id: EventID(words: (0, 0, 0, 0)))
    try form.nested("heads", &closed.heads, blank: blank) { head, form throws(ModelError) in
      var (replica, id) = (head.replica, head.id)
      var sequence = Int64(bitPattern: head.sequence.rawValue)
      try form.required("replica", &replica)
      try form.required("sequence", &sequence)
      try form.required("head", &id)
      head = Head(
        replica: replica, sequence: SequenceNumber(rawValue: UInt64(bitPattern: sequence)), id: id)
    }
  }

  private static func snoozeSet(
    _ set: inout SnoozeSet, _ form: inout JSONForm
  ) throws(ModelError) {
    var (date, time) = (set.snooze.nominal.date, set.snooze.nominal.time)
    try form.required("habit", &set.habit)
    try form.required("slot", &set.snooze.slot)
    try form.required("date", &date)
    try form.required("time", &time)
    set.snooze.nominal = CivilDateTime(date: date, time: time)
    try form.defaulted("number", &set.snooze.number, 0)
    try form.optional("until", &set.snooze.until)
    try form.defaulted("ignoresQuietHours", &set.snooze.ignoresQuietHours, false)
  }

  private static func planSubmitted(
    _ submitted: inout PlanSubmitted, _ form: inout JSONForm
  ) throws(ModelError) {
    var digest = JSONHexadecimal(submitted.idsDigest)
    try form.defaulted("added", &submitted.added, 0)
    try form.defaulted("removed", &submitted.removed, 0)
    try form.defaulted("failed", &submitted.failed, 0)
    try form.required("idsDigest", &digest)
    submitted.idsDigest = digest.bytes
    try form.optional("coverageUntil", &submitted.coverageUntil)
    try form.defaulted("dropped", &submitted.dropped, 0)
    try form.defaulted("capacity", &submitted.capacity, 0)
    try form.optional("at", &submitted.at)
  }
}
