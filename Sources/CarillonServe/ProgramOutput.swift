#if Service
import ArgumentParser
import CarillonModel
import CarillonDocuments
import Foundation

/// What the program prints, besides its log.
struct ProgramOutput: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print neither the address of the page nor confirmations.")
  var quiet = false

  /// Prints an answer as text for a person, or as one line of JSON.
  func answer(_ text: String, _ document: JSON) {
    guard json || !quiet else { return }
    FileHandle.standardOutput.write(Data((json ? document.line : text).utf8))
  }

  /// Prints what was done to the unit.
  func answer(_ change: UnitInstallation.Change) {
    answer(change.text, change.json)
  }

  /// Prints the settings with their sources.
  func answer(_ settings: [SettingReader.Found]) {
    let settings = settings.sorted { $0.name < $1.name }
    let width = settings.map(\.name.count).max() ?? 0
    let lines = settings.map { setting in
      setting.name.padding(toLength: width, withPad: " ", startingAt: 0)
        + "  \(setting.text)  (\(setting.source))"
    }
    let document: JSON = [
      "settings": .array(settings) {
        ["name": .text($0.name), "value": $0.value, "source": .text($0.source)]
      }
    ]
    // A request for the settings is answered even with --quiet.
    let text = lines.map { $0.printable + "\n" }.joined()
    FileHandle.standardOutput.write(Data((json ? document.line : text).utf8))
  }

  /// Reports a failure, and ends the process with its exit code.
  func end(_ failure: ServeFailure) -> Never {
    FileHandle.standardError.write(Data((json ? failure.json.line : failure.text).utf8))
    Foundation.exit(failure.status.rawValue)
  }
}
#endif
