package import CarillonModel

extension NotificationPlan {
  /// `{asOf,zone,capacity,coverageUntil,dropped,leftOut[],blocked,pending[]}`.
  package func json(_ time: LocalTime) -> JSON {
    [
      "asOf": .text(time.rfc3339(asOf)), "zone": .text(zone), "capacity": .integer(capacity),
      "coverageUntil": .text(time.rfc3339(coverageUntil)), "dropped": .integer(dropped),
      "leftOut": leftOut.json(time), "blocked": .text(blocked?.rawValue),
      "pending": .array(requests) { $0.json(time) },
    ]
  }
}

extension NotificationRequest {
  /// The title; for a digest also the titles of its habits, `morning: Walk, Tea, Read`.
  package var name: String {
    guard id.kind == .digest, let body = content.body else { return content.title }
    return "\(content.title): \(body)"
  }

  /// `{id,habit,schedule,title,content{},fireAt,nominal,repeats,trigger,fingerprint}`.
  package func json(_ time: LocalTime) -> JSON {
    var shown: [(key: String, value: JSON)] = [("title", .text(content.title))]
    if let body = content.body { shown.append(("body", .text(body))) }
    if let sound = content.sound { shown.append(("sound", .text(sound))) }
    if let level = content.level { shown.append(("level", .text(level.rawValue))) }
    shown.append(("thread", .text(content.thread)))
    if !content.data.isEmpty {
      let data = content.data.sorted { $0.key < $1.key }
      shown.append(("data", .object(data.map { (key: $0.key, value: .text($0.value)) })))
    }
    return [
      "id": .text(id.description), "habit": .text(habit.description),
      "schedule": .text(schedule.description),
      "title": .text(content.title), "content": .object(shown),
      "fireAt": .text(fireAt.map(time.rfc3339)), "nominal": .text(nominal.description),
      "repeats": .bool(repeats), "trigger": .text(trigger.description),
      "fingerprint": .text(fingerprint),
    ]
  }
}
