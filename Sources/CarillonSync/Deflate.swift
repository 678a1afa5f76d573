internal import CZlib

/// Raw deflate (RFC 1951) with a limit on the output size.
package enum Deflate {
  /// Deflates bytes, or returns nil if the result does not fit.
  ///
  /// - Parameters:
  ///   - level: The compression level, from 1 (fastest) to 9 (smallest).
  ///   - capacity: The most bytes of the result; one less than `bytes` by default.
  package static func deflated(
    _ bytes: [UInt8], level: Int32, capacity: Int? = nil
  ) -> [UInt8]? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard
      deflateInit2_(
        &stream, level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    return run(&stream, over: bytes, capacity: capacity ?? bytes.count - 1) {
      CZlib.deflate(&$0, Z_FINISH)
    }
  }

  /// Inflates bytes.
  ///
  /// - Returns: The inflated bytes, or nil if `bytes` are not a deflate stream, have trailing
  ///   bytes, or inflate to more than `limit` bytes.
  package static func inflated(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, size) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    // The buffer grows with the output: a few bytes of input cannot force a large allocation.
    var capacity = min(limit, max(1_024, bytes.count * 4))
    while true {
      let result = run(&stream, over: bytes, capacity: capacity) { CZlib.inflate(&$0, Z_FINISH) }
      if let result { return stream.avail_in == 0 ? result : nil }
      guard stream.avail_out == 0, capacity < limit, inflateReset(&stream) == Z_OK else {
        return nil
      }
      capacity = min(limit, capacity * 4)
    }
  }

  /// Runs a stream over all bytes in one call; returns nil if the stream did not end.
  private static func run(
    _ stream: inout z_stream, over bytes: [UInt8], capacity: Int,
    _ step: (inout z_stream) -> Int32
  ) -> [UInt8]? {
    guard capacity > 0, bytes.count <= Int(UInt32.max), capacity <= Int(UInt32.max) else {
      return nil
    }
    var isComplete = false
    let result = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
      bytes.withUnsafeBufferPointer { input in
        // zlib does not write to its input; its C API merely lacks const.
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(capacity)
        isComplete = step(&stream) == Z_STREAM_END
        count = isComplete ? capacity - Int(stream.avail_out) : 0
      }
    }
    return isComplete ? result : nil
  }
}
