#if Sync
import ArgumentParser
import AtollServer
import AtollStorage
import AtollTransport
import Logging

/// `atoll serve`: a sync server in the foreground.
struct ServeCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Runs a sync server until Ctrl-C or SIGTERM.",
    discussion: """
      All data lies in one folder, which is created if it does not exist, and which one server at \
      a time uses. DIR/server.yaml, or the file of --config, has the access rules; --print-config \
      prints a first one with the classes of the folder. SIGHUP makes the server read it again, \
      while devices are connected. In development mode the first app that connects becomes the \
      server's own, and every user may read and write everything; without both, everything is \
      denied. With --certificate and --key connections use TLS; SIGHUP reads these files again, too, \
      for new connections. The log goes to standard error, one line for each event. /health says \
      whether the server works, and /metrics has its counters, at an address of their own, which \
      only this machine reaches unless --metrics-host is given. 'atoll users' is for its users.
      """)

  @Option(
    help: ArgumentHelp("The folder of all data.", valueName: "dir"),
    completion: .directory)
  var dir: String

  @Option(help: "The TCP port; 0 selects a free one.")
  var port = ServerAddress.defaultPort

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "The TCP port of /health and /metrics; 0 selects a free one. (default: PORT + 1)"))
  var metricsPort: Int?

  @Option(help: "The address of /health and /metrics.")
  var metricsHost = "127.0.0.1"

  @Option(
    help: ArgumentHelp("The configuration, if it is not DIR/server.yaml.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "The server's certificate in PEM form, then those up to an authority; turns TLS on.",
      valueName: "file"),
    completion: .file(extensions: ["pem", "crt"]))
  var certificate: String?

  @Option(
    help: ArgumentHelp("The key of the certificate, in PEM form.", valueName: "file"),
    completion: .file(extensions: ["pem", "key"]))
  var key: String?

  @Flag(help: "Print a commented configuration, and exit.")
  var printConfig = false

  @Option(
    help: ArgumentHelp(
      "Make an API key, print it with its line for the configuration, exit.", valueName: "name"))
  var makeKey: String?

  @Flag(help: "Adopt the first app, and allow every user everything.")
  var development = false

  @Flag(help: "Allow --development on an address that other machines can reach.")
  var insecure = false

  @Option(help: "The lowest level that is logged.")
  var logLevel = LogLevel.info

  @Flag(help: "Write the log as JSON, one object on each line.")
  var jsonLogs = false

  enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
  }

  /// How long stopping may take before the process exits anyway; nothing is lost by that.
  static let stopMilliseconds = 2_000

  func validate() throws {
    guard 0...65_535 ~= port else { throw ValidationError("--port is from 0 to 65535") }
    guard 0...65_535 ~= chosenMetricsPort else {
      throw ValidationError(
        metricsPort == nil
          ? "--metrics-port is needed with --port 65535: there is no port after it"
          : "--metrics-port is from 0 to 65535")
    }
    guard !printConfig || makeKey == nil else {
      throw ValidationError("--print-config and --make-key are one at a time")
    }
    guard !dir.isEmpty else { throw ValidationError("--dir is the path of a folder") }
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key are given together")
    }
    if development, config != nil {
      throw ValidationError("--development allows everything; leave it or --config out")
    }
  }

  private var chosenMetricsPort: Int { metricsPort ?? (port == 0 ? 0 : port + 1) }

  func run(in context: CommandContext) throws -> ExitStatus {
    if printConfig {
      try context.output.write(ServerDirectory.exampleConfiguration(of: dir))
      return .success
    }
    if let makeKey {
      let (key, text) = APIKey.make(makeKey) { SystemCalls.randomNumber() }
      try context.output.write(
        """
        The key, which is told only now: \(text)
        In the configuration, under login.keys:
          - {name: \(ConfigurationPrinter.quoted(key.name)), sha256: \(key.digest)}

        """)
      return .success
    }
    let logger = logger
    let end = ServerEnd()
    let service: SyncService
    let options: SyncService.Options
    do throws(ServerError) {
      let limit = DescriptorLimit.raise()
      DescriptorLimit.prepareDispatch()
      AllocatorLimit.set()
      logger.info(
        "limit of the system", metadata: ["descriptors": "\(limit.map(String.init) ?? "none")"])
      options = try serverOptions(descriptorLimit: limit)
      service = try SyncService.start(options, logger: logger) { _ in end.fail() }
    } catch {
      switch error {
      case .configuration, .noApp, .developmentOutsideLoopback, .developmentWithRules,
        .certificate:
        throw CommandError("\(error)", status: .usage)
      default: throw error
      }
    }
    let signals = ServerSignals { request in
      switch request {
      case .end: end.ask()
      case .reload:
        reload(options.listener.certificate, logger)
        reload(service, logger)
      }
    }
    try context.output.write(greeting(service, options.configuration))
    try context.output.flush()
    let hasFailed = end.wait()
    signals.forget()
    let isStopped = BlockingTask.wait(milliseconds: Self.stopMilliseconds) {
      await service.stop()
    }
    if !isStopped { logger.warning("stopped before all connections were closed") }
    return hasFailed ? .failure : .success
  }

  /// Loads the current certificate; an invalid one is logged and changes nothing.
  private func reload(_ certificate: ServerCertificate?, _ logger: Logger) {
    guard let certificate else { return }
    do throws(CertificateError) {
      try certificate.reload()
      logger.notice(
        "took a certificate over", metadata: ["certificate": "\(self.certificate ?? "")"])
    } catch {
      logger.error(
        "the certificate cannot be taken over; the one before stays",
        metadata: ["error": "\(error)"])
    }
  }

  /// Applies the current configuration; an invalid one is logged and changes nothing.
  private func reload(_ service: SyncService, _ logger: Logger) {
    guard !development else {
      return logger.warning("no configuration is read in development mode")
    }
    do throws(ServerError) {
      guard let configuration = try ServerDirectory.configuration(of: dir, at: config) else {
        return logger.error(
          "there is no configuration to take over; the rules stay as they were",
          metadata: ["folder": "\(dir)"])
      }
      try service.adopt(configuration)
    } catch {
      logger.error(
        "the configuration cannot be taken over; the rules stay as they were",
        metadata: ["error": "\(error)"])
    }
  }

  private func serverOptions(descriptorLimit: Int?) throws(ServerError) -> SyncService.Options {
    var options = SyncService.Options(
      folder: dir, now: { SystemCalls.millisecondsSince1970() },
      random: { SystemCalls.randomNumber() })
    options.host = host
    options.port = port
    options.metricsHost = metricsHost
    options.metricsPort = chosenMetricsPort
    options.isMetricsPortOptional = metricsPort == nil
    if let descriptorLimit {
      options.listener.connectionLimit = min(
        options.listener.connectionLimit, DescriptorLimit.connections(of: descriptorLimit))
    }
    options.isDevelopment = development
    options.isInsecure = insecure
    if let certificate, let key {
      do throws(CertificateError) {
        options.listener.certificate = try ServerCertificate(certificate: certificate, key: key)
      } catch { throw .certificate(error) }
    }
    let configuration = try ServerDirectory.configuration(of: dir, at: config)
    if development, let configuration {
      throw .developmentWithRules(configuration: configuration.path)
    }
    options.configuration = configuration
    return options
  }

  private var logger: Logger {
    let form: LineLogHandler.Form = jsonLogs ? .json : .pairs
    let level = logLevel.level
    return Logger(label: "atoll") { _ in
      LineLogHandler(level: level, form: form, now: { SystemCalls.millisecondsSince1970() })
    }
  }

  private func greeting(
    _ service: SyncService, _ configuration: ServerConfiguration?
  ) -> String {
    let address = service.address.description
    var text = "Atoll server on \(address), data in '\(printable(dir))'"
    text += service.isNew ? " (new)\n" : "\n"
    if let metrics = service.metricsAddress { text += "Metrics on \(metrics)/metrics\n" }
    if development {
      text += """
        Development mode: the first app is adopted, and every user may read and write everything.
        Connect with App(id: "my-app", configuration: AppConfiguration(baseURL: "\(address)"))

        """
    } else if let configuration {
      text += "Rules of '\(printable(configuration.path))'.\n"
      if !configuration.hasRoles {
        text += "Everything is denied: they have no 'roles'. --print-config prints some.\n"
      }
    } else {
      text += """
        Everything is denied: this server has no rules. Print some with --print-config, \
        or start it with --development to try it out.

        """
    }
    if service.address.isOpen {
      text += """
        Connections are not encrypted: passwords and data can be read on the network. \
        --certificate and --key turn TLS on.

        """
    }
    return text + "Ctrl-C ends it.\n"
  }
}
#endif
