import Carillon
import CarillonDocuments
import CarillonModel

extension Terms {
  /// The terms of the command line.
  ///
  /// - Parameter store: The store, if the command line names it.
  static func commands(store: String?) -> Terms {
    let carillon = NextCommand.carillon(store: store)
    return Terms(
      steps: { $0.command(carillon) }, owner: { "--owner \($0.rawValue)" },
      event: { NextCommand.argument($0, or: $1) })
  }
}

extension Remedy {
  /// Returns the command that carries it out.
  ///
  /// - Parameter carillon: The beginning of a command.
  func command(_ carillon: String) -> String {
    switch self {
    case .addHabit: "\(carillon) habit add Walk --at 17:00"
    case .addReminder(let habit): "\(carillon) schedule add \(habit.argument) --at 17:00"
    case .show(let habit): "\(carillon) habit show \(habit.argument)"
    case .restore(let habit): "\(carillon) habit restore \(habit.argument)"
    case .unarchive(let habit): "\(carillon) habit unarchive \(habit.argument)"
    case .resume(let habit): "\(carillon) habit resume \(habit?.argument ?? "--all")"
    case .recordUse: "\(carillon) active"
    case .grantPermission: "\(carillon) permission grant"
    case .turnAlertsOn: "\(carillon) alerts on"
    case .plan: "\(carillon) plan --apply FILE, or \(carillon) watch"
    case .useAgain(let replica, let name):
      "\(carillon) replicas retire --undo \(NextCommand.argument(name, or: replica))"
    case .closeReplicas: "\(carillon) replicas close --help"
    case .repair:
      "carillon verify; to repair it: carillon sync A B --audit, with a replica that has the events"
    case .takeBack(let edit): "\(carillon) \(edit.takingBack)"
    }
  }
}

extension LostEdit {
  /// The verb and its arguments that give the field the lost value.
  fileprivate var takingBack: String {
    let argument = habit.map { isNamedByTitle ? $0.argument : $0.id.description } ?? ""
    switch (conflict.kept.value, conflict.field) {
    case (.archived, _): return "habit unarchive \(argument)"
    case (.deleted, _): return "habit restore \(argument)"
    case (_, .setting(let name)):
      guard case .text(let value) = conflict.lost.value else { return "" }
      return "settings set \(name.rawValue) \(ShellWord.quoted(value ?? "none"))"
    default: return "habit edit \(argument) --take \(event)"
    }
  }
}
