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

  /// Prints an answer as text for a person, or as one line of JSON; ends the process if it cannot
  /// be written.
  ///
  /// - Parameter data: What remains of the text with `--quiet`; nil for all of it.
  func answer(_ text: String, _ document: JSON, quietly data: String? = nil) {
    write(quiet ? data ?? text : text, document)
  }

  /// Prints that something was done as ``answer(_:_:quietly:)`` does, and nothing with `--quiet`.
  func confirm(_ text: String, _ document: JSON) {
    guard json || !quiet else { return }
    write(text, document)
  }

  /// Prints a notice for people to standard error, in addition to the answer.
  func note(_ text: String) {
    guard !json, !quiet else { return }
    StandardStream.errors.write(text.printable + "\n")
  }

  /// Prints what a service does, which goes on if that cannot be written.
  func announce(_ text: String, _ document: JSON) {
    guard json || !quiet else { return }
    StandardStream.output.write(json ? document.line : text)
  }

  /// Prints what was done to the unit.
  func confirm(_ change: UnitInstallation.Change) {
    confirm(change.text, change.json)
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
    answer(lines.map { $0.printable + "\n" }.joined(), document)
  }

  /// Reports a failure, and ends the process with its exit code.
  func end(_ failure: ServeFailure) -> Never {
    StandardStream.errors.write(json ? failure.json.line : failure.text)
    Foundation.exit(failure.status.rawValue)
  }

  private func write(_ text: String, _ document: JSON) {
    let problem = StandardStream.output.write(json ? document.line : text)
    guard problem != 0 else { return }
    // The reader went away, such as `head`.
    if problem == EPIPE { SignalEnd.end(by: SIGPIPE) }
    end(.unwritable("standard output", problem))
  }
}
#endif
