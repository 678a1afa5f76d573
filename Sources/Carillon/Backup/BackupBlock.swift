import CarillonModel
import CarillonSync
import CarillonWire

/// The blocks of a backup file.
///
/// A block is the number of the bytes that follow, as a big-endian u32, and an `Events` of
/// `protocol/carillon/v1/sync.proto` as raw deflate.
enum BackupBlock {
  /// Encodes a block.
  static func encode(_ runs: [SyncRun]) throws(StoreError) -> [UInt8] {
    let plain = SyncRun.encode(runs)
    guard let deflated = Deflate.deflated(plain, level: 6, capacity: plain.count + 1_024) else {
      throw StoreError(code: .io, message: "\(plain.count) bytes cannot be deflated")
    }
    return withUnsafeBytes(of: UInt32(deflated.count).bigEndian, Array.init) + deflated
  }

  /// Decodes the bytes that follow the number.
  ///
  /// - Throws: `malformed`.
  static func decode(_ bytes: [UInt8]) throws(ModelError) -> [SyncRun] {
    guard let plain = Deflate.inflated(bytes, limit: maxBytes) else {
      throw ModelError(
        code: .malformed, message: "not a deflate stream, or more than \(maxBytes) bytes")
    }
    return try SyncRun.decode(plain)
  }

  /// The largest block, before and after deflating.
  static let maxBytes = 64 << 20
}
