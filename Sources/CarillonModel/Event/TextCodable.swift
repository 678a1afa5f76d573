/// A value that is written as its text in JSON.
public protocol TextCodable: LosslessStringConvertible, Codable {}

extension TextCodable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not valid: \(text)"))
    }
    self = value
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
