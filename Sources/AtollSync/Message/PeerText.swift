/// Sentences for people that one side of a connection writes and the other shows or keeps.
enum PeerText {
  /// No more of a text is sent or kept: one may quote what came from elsewhere, or be said of very
  /// many operations.
  private static let byteLimit = 4 << 10

  static func shortened(_ text: String) -> String {
    String(decoding: text.utf8.prefix(byteLimit), as: UTF8.self)
  }
}
