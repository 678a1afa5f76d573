#if Service
import Hummingbird
import NIOCore

/// Writes the body of a stream in pieces.
///
/// A write waits until the client has read what was written before, so memory stays flat.
struct StreamWriter {
  /// The number of bytes that are collected before they are written.
  private static let pieceBytes = 32_768

  private var writer: any ResponseBodyWriter
  private var piece = ByteBuffer()

  init(_ writer: any ResponseBodyWriter) {
    self.writer = writer
  }

  /// Appends a text, and writes the piece if it is full.
  mutating func append(_ text: String) async throws {
    piece.writeString(text)
    if piece.readableBytes >= Self.pieceBytes { try await flush() }
  }

  /// Writes what was appended.
  mutating func flush() async throws {
    guard piece.readableBytes > 0 else { return }
    try await writer.write(piece)
    piece.clear()
  }

  /// Writes what was appended, and ends the body.
  consuming func finish() async throws {
    try await flush()
    try await writer.finish(nil)
  }
}
#endif
