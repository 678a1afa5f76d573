import Foundation

/// Prepares the process before the first input.
///
/// `CARILLON_FUZZ_TARGET` names the target; `list` prints the names of all targets with the maximum
/// bytes of an input. With `CARILLON_FUZZ_SEEDS`, the target's seeds are written to that directory,
/// and the process ends.
@_cdecl("carillon_fuzz_begin")
public func begin() {
  let environment = ProcessInfo.processInfo.environment
  if environment["CARILLON_FUZZ_TARGET"] == "list" {
    for target in FuzzTarget.all { print(target.name, target.maxByteCount) }
    exit(0)
  }
  let target = chosen
  guard let directory = environment["CARILLON_FUZZ_SEEDS"] else { return }
  do {
    try write(try target.seeds(), to: URL(filePath: directory, directoryHint: .isDirectory))
  } catch {
    refuse("the seeds of \(target.name) cannot be written: \(error)", status: 74)
  }
  exit(0)
}

/// Runs one input on the selected target.
@_cdecl("carillon_fuzz_input")
public func input(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  do {
    try chosen.run(UnsafeRawBufferPointer(start: bytes, count: count))
  } catch {
    fatalError("\(chosen.name) threw \(error)")
  }
}

private let chosen: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["CARILLON_FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
    refuse("CARILLON_FUZZ_TARGET is \"\(name)\"; there are \(names)", status: 64)
  }
  return target
}()

private func write(_ seeds: [[UInt8]], to directory: URL) throws {
  for (index, seed) in seeds.enumerated() {
    try Data(seed).write(to: directory.appending(path: "seed-\(index)"))
  }
}

private func refuse(_ message: String, status: CInt) -> Never {
  FileHandle.standardError.write(Data("carillon-fuzz: \(message)\n".utf8))
  exit(status)
}
