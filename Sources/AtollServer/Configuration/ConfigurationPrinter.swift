#if Sync
package import AtollObjects

/// Prints a configuration that explains itself, for `atoll serve --print-config`.
package enum ConfigurationPrinter {
  /// A configuration with the classes of a store, or with two for an example.
  ///
  /// `app`: the app that the server has adopted. What it prints is read back as it is.
  package static func text(classes: [ClassSchema], app: String?) -> String {
    let own = classes.filter { !$0.isHidden }.sorted { $0.name < $1.name }
    let shown = own.isEmpty ? example : own
    var text = """
      # The configuration of an Atoll server: DIR/server.yaml, or the file of --config.
      # Quote texts that contain ': ' or ' #'. On SIGHUP the server reads the file again.

      # The id of the app that this server is for.
      app: \(quoted(app ?? "my-app"))

      # How users log in; without this section any way. 'registration': whether any user may create an
      # account; default false.
      login:
        anonymous: false
        password: true
        registration: true
        # JSON Web Tokens of another service, with the algorithm HS256, ES256 or RS256; the claim
        # 'sub' is the user. The key is a secret, or a public key in PEM; 'issuer' and 'audience'
        # are checked if they are given. A log-in ends with its token, or after 'sessionDays'.
        # jwt: {algorithm: RS256, keyFile: key.pem, issuer: 'https://example.com', audience: my-app}
        # What is removed here, or whose key is changed, ends the log-ins that rest on it.
        # Keys of programs: 'atoll serve --make-key NAME' makes one, and prints the line for here.
        # keys:
        #   - {name: importer, sha256: …}

      # Limits of one user, over all devices, to protect other users: simultaneous connections,
      # files with records on the server, subscriptions of a device, different queries of the
      # connected devices (views), changes and bytes sent in a minute, bytes of the objects that the
      # user's devices have made, and bytes of incomplete messages. Changes beyond the rate wait, and
      # the device is notified.
      # limits: {connections: 100, files: 10000, subscriptions: 10000, views: 1000,
      #          operationsPerMinute: 600000, bytesPerMinute: 256 MiB, storedBytes: 1 GiB,
      #          unfinishedBytes: 80 MiB}

      # Limits of the whole server. Of one host at a time: connections; an IPv4 address is a host, and
      # so are all IPv6 addresses with the same first 64 bits. Of messages that are incomplete or wait
      # to be judged: bytes of all connections, and of those of one host. Of the disk: while less is
      # free, what devices write waits. Of a turn of the server: the processor time for all messages,
      # for telling all connections of changes, for all that is sent, for one connection, for one
      # pushed transaction, and for one object in one subscription.
      # server: {connectionsPerHost: 1000, heldBytes: 512 MiB, heldBytesPerHost: 192 MiB,
      #          freeDiskBytes: 128 MiB, turn: {messages: 20 ms, changes: 10 ms, sending: 15 ms,
      #          connection: 5 ms, transaction: 100 ms, object: 50 ms}}

      # Proxies in front of the server, by address or network. Of what they forward the address that
      # counts is the last one in the header 'proxyHeader' that is none of theirs. The header is
      # X-Forwarded-For, the default, or Forwarded (RFC 7239), and each proxy has to append to it, or
      # to set it. Sent by others it is ignored.
      # trustedProxies: [127.0.0.1, 10.0.0.0/8]
      # proxyHeader: X-Forwarded-For

      # The synchronised classes. Devices cannot add any; the server adds those that it lacks.
      # Types: bool, int, float, double, decimal128, string, data, date, objectId, uuid, mixed, or a
      # class; with '?' when the value may be null; list<…>, set<…>, map<…>.
      classes:

      """
    if own.isEmpty {
      text += "  # An example, as the server has no classes yet: replace it, and its roles below.\n"
    }
    for schema in shown { text += describe(schema) }
    text += """

      # The class of the users' data: its key is the id of a user. Conditions name it as $user.data.
      # userData: Member

      # The properties that subscriptions may use, beside the key. '*': in every class that has it.
      # Without this, all of them.
      # queryable:
      #   "*": [owner]
      #   Task: [done, due]

      # A property that every subscription must compare with constants, by == or IN.
      # indexedQueryable: owner

      # Access rules; everything else is denied. A user has the first role of a class that applies:
      # by the user's data ('when'), by the user's id ('users'), or without a condition.
      # read, write, insert, delete: true, false, or a condition on the object, which may name
      # $user.id and $user.data.PROPERTY. write needs read, insert and delete need write; an object
      # must match before and after a change. properties: none, read or write (which includes
      # reading).
      # '*' stands for all classes without roles.
      roles:

      """
    guard own.isEmpty else {
      return text + """
          # Every user may do everything: replace this before you let others in.
          "*":
            - name: everyone
              read: true
              write: true
              insert: true
              delete: true

        """
    }
    return text + """
        Task:
          - name: owner
            read: owner == $user.id OR isPublic == true
            write: owner == $user.id
            insert: true
            delete: true
            properties:
              reviewedBy: read

      """
  }

  /// The text for a store without classes.
  private static let example = [
    ClassSchema(
      "Task",
      properties: [
        PropertySchema("_id", .objectID), PropertySchema("title", .string),
        PropertySchema("owner", .string), PropertySchema("isPublic", .bool),
        PropertySchema("done", .bool), PropertySchema("due", .date, isOptional: true),
        PropertySchema("reviewedBy", .string, isOptional: true),
        PropertySchema("tags", .string, collection: .list),
      ], primaryKey: "_id")
  ]

  private static func describe(_ schema: ClassSchema) -> String {
    var text = "  \(quoted(schema.name)):\n"
    if let key = schema.primaryKey { text += "    key: \(quoted(key))\n" }
    if schema.isEmbedded { text += "    embedded: true\n" }
    if schema.isAsymmetric { text += "    asymmetric: true\n" }
    text += "    properties:\n"
    for property in schema.properties {
      text += "      \(quoted(property.name)): \(property.configurationText)\n"
    }
    return text
  }

  /// A name as YAML reads it back; most names need no quotes.
  package static func quoted(_ name: String) -> String {
    let isPlain =
      name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789_-".unicodeScalars.contains($0))
      } && name.unicodeScalars.first.map { $0.properties.isAlphabetic || $0 == "_" } ?? false
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(name.lowercased())
    return isPlain ? name : "'" + name.replacing("'", with: "''") + "'"
  }
}
#endif
