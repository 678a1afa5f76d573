import Foundation

/// The QR code of a text, from the library libqrencode.
///
/// The library is loaded when a code is made: programs start without it, and on a system that does
/// not have it.
package struct QRCode: Hashable, Sendable {
  /// The modules from the top, those of each row from the left; dark ones are true.
  package let rows: [[Bool]]

  /// Creates the code of a text; nil if the library is not installed, or the text is too long.
  package init?(_ text: String) {
    guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else {
      return nil
    }
    // The library stays loaded, as its next use is cheaper then.
    guard let encode = dlsym(library, "QRcode_encodeString"),
      let free = dlsym(library, "QRcode_free")
    else { return nil }
    let (make, release) = (
      unsafeBitCast(encode, to: Encode.self), unsafeBitCast(free, to: Free.self)
    )
    guard let made = make(text, 0, Self.level, Self.bytes, 1) else { return nil }
    defer { release(made) }
    let code = made.assumingMemoryBound(to: Layout.self).pointee
    let width = Int(code.width)
    rows = (0..<width).map { row in
      // The lowest bit of a module is its color.
      (0..<width).map { column in code.data[row * width + column] & 1 == 1 }
    }
  }

  /// The lines of the code for a terminal, two modules a character, with the quiet zone that
  /// readers need.
  ///
  /// Light modules are blocks. Without colors, the code is inverted in a light terminal, which
  /// readers accept.
  package var lines: [String] {
    let margin = 2
    let width = (rows.first?.count ?? 0) + 2 * margin
    let blank = [[Bool]](repeating: [Bool](repeating: false, count: width), count: margin)
    let side = [Bool](repeating: false, count: margin)
    var all = blank + rows.map { side + $0 + side } + blank
    if !all.count.isMultiple(of: 2) { all.append([Bool](repeating: false, count: width)) }
    return stride(from: 0, to: all.count, by: 2).map { row in
      zip(all[row], all[row + 1]).map { upper, lower in
        switch (upper, lower) {
        case (false, false): "█"
        case (false, true): "▀"
        case (true, false): "▄"
        case (true, true): " "
        }
      }.joined()
    }
  }

  // MARK: - The library

  private static let names = [
    "libqrencode.so.4", "libqrencode.4.dylib", "/opt/homebrew/lib/libqrencode.4.dylib",
  ]
  /// `QR_ECLEVEL_L`: the code is shown on a screen, where nothing of it is lost.
  private static let level: CInt = 0
  /// `QR_MODE_8`.
  private static let bytes: CInt = 2

  /// `QRcode *QRcode_encodeString(const char *, int version, QRecLevel, QRencodeMode, int)`.
  private typealias Encode =
    @convention(c) (
      UnsafePointer<CChar>, CInt, CInt, CInt, CInt
    ) -> UnsafeMutableRawPointer?
  /// `void QRcode_free(QRcode *)`.
  private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The members of `QRcode`.
  private struct Layout {
    let version: CInt
    let width: CInt
    let data: UnsafeMutablePointer<UInt8>
  }
}
