// The program `sensorlog`: the service, and what a person asks of its database.

import ArgumentParser
import Foundation
import SensorLog

@main
struct SensorLogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensorlog",
        abstract: "Logs what Bluetooth sensors measure, and shows it on a page.",
        subcommands: [Run.self, List.self, Forget.self, Remember.self],
        defaultSubcommand: Run.self
    )
}

/// The database that all commands use.
struct DatabaseOption: ParsableArguments {
    @Option(help: "The database.")
    var database = "sensorlog.sqlite"

    /// The database, which is there already.
    func open() throws -> MeasurementStore {
        guard FileManager.default.fileExists(atPath: self.database) else {
            throw ValidationError("there is no database \(self.database)")
        }
        return try MeasurementStore(path: self.database)
    }
}

extension ListenAddress: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs until it is ended; the default.")

    @OptionGroup var database: DatabaseOption
    @Option(help: "Where the page is: PORT on this computer alone, ADDRESS:PORT, or [ADDRESS]:PORT.")
    var listen = ListenAddress("8080")!
    @Option(help: "A further name by which the page is reached; may be given several times.")
    var host: [String] = []
    @Flag(help: "Log only sensors that are in the database already.")
    var knownOnly = false

    func run() throws {
        // The reader of the output may go.
        signal(SIGPIPE, SIG_IGN)
        let board = LiveBoard()
        let store = try MeasurementStore(path: self.database.database) { board.post(.stored) }
        let server = PageServer(store: store, board: board, listen: self.listen, names: self.host)
        Task { await board.run() }
        Task {
            do {
                try await server.run { say("the page is at \($0)") }
            } catch {
                fail("cannot serve the page: \(error)")
            }
        }
        let central = SensorCentral(store: store, board: board, takesNewSensors: !self.knownOnly)
        central.report = say
        // `sensorlog forget` changes the database from outside.
        let timer = Timer(timeInterval: 2, repeats: true) { _ in central.refresh() }
        RunLoop.main.add(timer, forMode: .default)
        RunLoop.main.run()
    }
}

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the sensors of the database.")

    @OptionGroup var database: DatabaseOption

    func run() throws {
        for sensor in try self.database.open().sensors() {
            let count = sensor.number.map { "up to number \($0)" } ?? "nothing yet"
            let missing = sensor.missing == 0 ? "" : ", \(sensor.missing) of them lost by the sensor"
            print("\(sensor.identity)  \(sensor.name): \(count)\(missing)\(sensor.isForgotten ? ", forgotten" : "")")
        }
    }
}

struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Forgets a sensor, also while the service runs: it is no longer connected. Its values stay."
    )

    @OptionGroup var database: DatabaseOption
    @Argument(help: "Its name, or how its identity begins.")
    var sensor: String

    func run() throws {
        guard try self.database.open().setForgotten(true, named: self.sensor) > 0 else {
            throw ValidationError("there is no sensor \(self.sensor)")
        }
    }
}

struct Remember: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Logs a sensor again that was forgotten.")

    @OptionGroup var database: DatabaseOption
    @Argument(help: "Its name, or how its identity begins.")
    var sensor: String

    func run() throws {
        guard try self.database.open().setForgotten(false, named: self.sensor) > 0 else {
            throw ValidationError("there is no sensor \(self.sensor)")
        }
    }
}

/// Prints a line at once, even if the output is not a terminal.
private func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
}

/// Ends the program; the service manager starts it again.
private func fail(_ line: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("sensorlog: \(line)\n".utf8))
    exit(1)
}
