extension Realm {
  /// What happened to a realm.
  public enum Notification: String, Sendable {
    /// It shows another version.
    case didChange = "RLMRealmDidChangeNotification"
    /// There is a newer version, and the realm does not move to it by itself.
    case refreshRequired = "RLMRealmRefreshRequiredNotification"
  }
}
