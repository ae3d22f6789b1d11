/// Sentences for people that one side of a connection writes and the other shows or keeps.
enum PeerText {
  /// The maximum length of a text that is sent or kept: a text may quote foreign input, or belong
  /// to very many operations.
  private static let byteLimit = 4 << 10

  static func shortened(_ text: String) -> String {
    String(decoding: text.utf8.prefix(byteLimit), as: UTF8.self)
  }
}
