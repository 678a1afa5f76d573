@testable import Carillon
import CarillonModel
import CarillonSync

extension FuzzTarget {
  static let pipeFrames = FuzzTarget(
    name: "pipe-frames", maxByteCount: 4_096, seeds: PipeFrames.seeds, run: PipeFrames.read)
}

/// The input from a pipe: noise, a greeting and frames.
private enum PipeFrames {
  /// The maximum bytes of a message; small, so that many exceed it.
  private static let limit = 1_000

  /// The result for one way of splitting the bytes.
  private struct Outcome {
    var messages: [[UInt8]] = []
    var store: StoreID?
    var error: SyncError?
  }

  /// The first byte selects the pieces in which the others arrive.
  ///
  /// That must not change what is read, except that an error drops what arrived in the same piece.
  static func read(_ bytes: UnsafeRawBufferPointer) {
    guard let size = bytes.first else { return }
    let rest = [UInt8](bytes.dropFirst())
    let whole = outcome(of: rest, pieceSize: max(rest.count, 1))
    let pieces = outcome(of: rest, pieceSize: Int(size) + 1)
    hold(whole.error?.code == pieces.error?.code, "pieces end with the same error")
    hold(pieces.messages.starts(with: whole.messages), "pieces start with the same messages")
    hold(whole.store == pieces.store, "pieces name the same store")
    hold(whole.error != nil || whole.messages == pieces.messages, "pieces contain no more messages")
    hold(
      pieces.messages.allSatisfy { (1...limit).contains($0.count) },
      "messages have 1 to \(limit) bytes")
    let naming = pieces.store.map(FrameReader.naming) ?? []
    let again = naming + FrameReader.greeting + pieces.messages.flatMap(FrameReader.frame)
    let known = outcome(of: again, pieceSize: again.count)
    hold(known.messages == pieces.messages && known.error == nil, "frames read back equal")
    hold(known.store == pieces.store, "a store's name reads back equal")
  }

  private static func outcome(of bytes: [UInt8], pieceSize: Int) -> Outcome {
    var reader = FrameReader(limit: limit)
    var outcome = Outcome()
    do {
      for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        outcome.messages += try reader.take(bytes[start..<min(start + pieceSize, bytes.count)])
      }
      try reader.end()
    } catch {
      outcome.error = error
    }
    outcome.store = reader.store
    return outcome
  }

  static func seeds() -> [[UInt8]] {
    let messages: [[UInt8]] = [[1], [2, 3, 4], [UInt8](repeating: 7, count: limit)]
    let frames: [UInt8] = messages.flatMap(FrameReader.frame)
    let noises = Vectors.texts([
      "", "Welcome\n", "carillon-store 11111111-2222-4333-8444-555555555555\n",
      "carillon-store 11111111-2222-4333-8444-555555555555",
      "carillon-sync carillon-sync 12\n", "carillon-sync 2\n", "carillon-sync ",
    ])
    let ends: [[UInt8]] = [[0, 0, 0, 0], [255, 255, 255, 255], [0, 0, 0, 9, 1], frames]
    return noises.map { [0] + $0 } + noises.map { [5] + $0 + FrameReader.greeting + frames }
      + ends.map { [255] + FrameReader.greeting + $0 }
  }
}
