extension _RealmContext {
  /// The set that is being changed.
  ///
  /// Ends the process outside of an update.
  func subscriptionUpdate(_ call: String) -> SubscriptionUpdate {
    guard let update = subscriptionUpdate else {
      Misuse.trap(
        "\(call) was called outside of an update; wrap it in "
          + "'subscriptions.update { … }'")
    }
    return update
  }

  /// Runs an update of the subscription set and commits it.
  ///
  /// - Returns: The new version.
  /// - Throws: What `body` throws, what is wrong with the changes, and a failure of the file that was
  ///   met meanwhile; nothing is changed then.
  func updateSubscriptions(_ body: () throws -> Void) throws -> Int64 {
    checkConfinement()
    guard !configuration.impliesSubscriptions else {
      Misuse.trap(
        "the subscriptions of a realm that holds everything, or a partition, were changed; open it "
          + "with user.flexibleSyncConfiguration() to choose what it holds")
    }
    guard subscriptionUpdate == nil else {
      Misuse.trap("a subscription set was updated inside of an update of the same set")
    }
    guard !isWriteOpen else {
      Misuse.trap("a subscription set was updated inside of a write; end the write before")
    }
    let update = try SubscriptionUpdate(file.database) { ObjectId.generate().id }
    subscriptionUpdate = update
    defer { subscriptionUpdate = nil }
    do { try body() } catch {
      subscriptionUpdate = nil
      let failure = writeFailure
      writeFailure = nil
      if let failure { configuration.tell(failure) }
      throw error
    }
    // What was read may be in the queries.
    if let failure = writeFailure ?? file.failure(ofWriteIn: self) {
      writeFailure = nil
      throw failure
    }
    return try update.commit()
  }

  /// The model class with a name.
  func objectType(named name: String) -> ObjectBase.Type {
    guard let type = descriptor(named: name)?.type else {
      Misuse.trap(
        "the class '\(name)' is not known to this program yet; name it in objectTypes")
    }
    return type
  }
}
