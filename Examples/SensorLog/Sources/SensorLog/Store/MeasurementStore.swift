// The database of measurements: SQLite with GRDB, in WAL mode, so that the page reads while Bluetooth writes.
//
// `synchronous` is FULL: each commit is on the disk before it returns. NORMAL, which GRDB and most programs choose in
// WAL mode, is as safe when a process is killed, but a power failure can undo the last commits. That must not happen
// here, since a sensor deletes acknowledged measurements; and a commit has a whole notification of measurements, or is
// seconds away from the next one, so the cost of one fsync does not matter.
//
// A measurement is stored once: its key is the sensor and the number that the sensor gave it.

import Foundation
import GRDB
import SensorValues

/// The database of a logger. Its calls may come on any thread.
package final class MeasurementStore: Sendable {
    private let database: DatabasePool
    /// Is called after something was stored, on any thread.
    private let didChange: @Sendable () -> Void

    /// Opens the database, or makes it.
    ///
    /// - Parameters:
    ///   - path: The file; SQLite adds two more beside it.
    ///   - didChange: Is called after something was stored, on any thread.
    /// - Throws: A `DatabaseError` of GRDB.
    package init(path: String, didChange: @escaping @Sendable () -> Void = {}) throws {
        var configuration = Configuration()
        // `sensorlog forget` writes while the service runs.
        configuration.busyMode = .timeout(5)
        self.database = try DatabasePool(path: path, configuration: configuration)
        self.didChange = didChange
        // GRDB sets NORMAL when it sets WAL; the pool has one connection that writes, and keeps it.
        try self.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Self.migrator.migrate(self.database)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE sensor (
                        id INTEGER PRIMARY KEY,
                        identity TEXT NOT NULL UNIQUE,   -- what the sensor is to itself
                        peripheral TEXT NOT NULL,        -- what it is to this host's Core Bluetooth
                        name TEXT NOT NULL,
                        battery INTEGER,                 -- %
                        isForgotten INTEGER NOT NULL DEFAULT 0
                    );
                    CREATE TABLE measurement (
                        sensor INTEGER NOT NULL REFERENCES sensor (id),
                        number INTEGER NOT NULL,
                        time INTEGER NOT NULL,           -- ms since 1970
                        temperature INTEGER,             -- 0.01 °C
                        humidity INTEGER,                -- 0.01 %
                        PRIMARY KEY (sensor, number)
                    );
                    CREATE INDEX measurementTime ON measurement (sensor, time);
                    -- Numbers that a sensor no longer had when it was asked for them.
                    CREATE TABLE gap (
                        sensor INTEGER NOT NULL REFERENCES sensor (id),
                        first INTEGER NOT NULL,
                        last INTEGER NOT NULL,
                        PRIMARY KEY (sensor, first)
                    );
                    """
            )
        }
        return migrator
    }

    // MARK: Sensors

    /// Stores a sensor; its known values stay.
    ///
    /// - Parameters:
    ///   - identity: Its own identity.
    ///   - peripheral: Its identifier in this host's Core Bluetooth.
    ///   - name: The name that it advertises; `nil` if it was not seen.
    ///   - deviceName: A name for one whose own name was never seen.
    /// - Returns: Its key in the database.
    package func register(
        identity: String,
        peripheral: UUID,
        name: String?,
        deviceName: String? = nil
    ) throws -> Int64 {
        defer { self.didChange() }
        return try self.database.write { database in
            try Int64.fetchOne(
                database,
                sql: """
                    INSERT INTO sensor (identity, peripheral, name) VALUES (:identity, :peripheral, :name)
                    ON CONFLICT (identity) DO UPDATE SET peripheral = :peripheral, name = coalesce(:known, name)
                    RETURNING id
                    """,
                arguments: [
                    "identity": identity,
                    "peripheral": peripheral.uuidString,
                    "name": name ?? deviceName ?? "Sensor " + identity.prefix(4),
                    "known": name,
                ]
            ) ?? 0
        }
    }

    /// All sensors, by name.
    package func sensors() throws -> [StoredSensor] {
        try self.database.read { database in
            try StoredSensor.fetchAll(
                database,
                sql: """
                    SELECT sensor.*, newest.number, newest.time,
                        -- Each value is the last one that was known: standard sensors send them one by one.
                        -- A value that a sensor does not have is not looked for in all that is stored.
                        (SELECT temperature FROM measurement WHERE sensor = sensor.id AND temperature IS NOT NULL
                            AND number > newest.number - 20 ORDER BY number DESC LIMIT 1) AS temperature,
                        (SELECT humidity FROM measurement WHERE sensor = sensor.id AND humidity IS NOT NULL
                            AND number > newest.number - 20 ORDER BY number DESC LIMIT 1) AS humidity,
                        (SELECT coalesce(sum(last - first + 1), 0) FROM gap WHERE sensor = sensor.id) AS missing
                    FROM sensor
                    LEFT JOIN measurement AS newest ON newest.sensor = sensor.id
                        AND newest.number = (SELECT max(number) FROM measurement WHERE sensor = sensor.id)
                    ORDER BY sensor.name, sensor.id
                    """
            )
        }
    }

    /// The level of a sensor's battery, in %.
    package func setBattery(_ level: Int, of sensor: Int64) throws {
        try self.database.write { database in
            try database.execute(sql: "UPDATE sensor SET battery = ? WHERE id = ?", arguments: [level, sensor])
        }
        self.didChange()
    }

    /// Ignores sensors, or logs them again; their measurements stay.
    ///
    /// - Parameter name: A name, or the beginning of an identity with four characters or more.
    /// - Returns: Their number.
    package func setForgotten(_ isForgotten: Bool, named name: String) throws -> Int {
        let prefix = name.count >= 4 ? name.uppercased() : name
        let count = try self.database.write { database in
            try database.execute(
                sql: """
                    UPDATE sensor SET isForgotten = :isForgotten
                    WHERE name = :name OR (length(:prefix) >= 4 AND substr(identity, 1, length(:prefix)) = :prefix)
                    """,
                arguments: ["isForgotten": isForgotten, "name": name, "prefix": prefix]
            )
            return database.changesCount
        }
        self.didChange()
        return count
    }

    // MARK: Measurements

    /// Stores measurements, except those that are already stored. They are on disk when this returns.
    package func store(_ measurements: [Sample], of sensor: Int64) throws {
        guard !measurements.isEmpty else { return }
        try self.database.write { database in
            let statement = try database.makeStatement(
                sql: """
                    INSERT INTO measurement (sensor, number, time, temperature, humidity) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """
            )
            for measurement in measurements {
                try statement.execute(
                    arguments: [
                        sensor, measurement.number, measurement.milliseconds, measurement.temperature,
                        measurement.humidity,
                    ]
                )
            }
        }
        self.didChange()
    }

    /// The highest number that is stored of a sensor; `nil` if none is.
    package func newest(of sensor: Int64) throws -> UInt32? {
        try self.database.read { database in
            try UInt32.fetchOne(
                database,
                sql: "SELECT max(number) FROM measurement WHERE sensor = ?",
                arguments: [sensor]
            )
        }
    }

    /// A sensor no longer has these measurements.
    package func storeGap(_ numbers: ClosedRange<UInt32>, of sensor: Int64) throws {
        try self.database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO gap (sensor, first, last) VALUES (?, ?, ?)",
                arguments: [sensor, numbers.lowerBound, numbers.upperBound]
            )
        }
        self.didChange()
    }

    /// The measurements of a sensor, by number.
    package func measurements(of sensor: Int64) throws -> [Sample] {
        try self.database.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM measurement WHERE sensor = ? ORDER BY number",
                arguments: [sensor]
            ).map { row in
                Sample(
                    number: row["number"],
                    milliseconds: row["time"],
                    temperature: row["temperature"],
                    humidity: row["humidity"]
                )
            }
        }
    }

    // MARK: The page

    /// The values of all sensors since a time, as curves of at most `points` points, and the place after which newer
    /// ones are stored.
    ///
    /// Where there are more values than points, a point is the mean of its share of the time.
    package func history(since milliseconds: Int64, until end: Int64, points: Int) throws -> History {
        let share = max(1, (end - milliseconds) / Int64(max(1, points)))
        return try self.database.read { database in
            // One transaction: nothing is stored between both.
            let rows = try StoredValues.fetchAll(
                database,
                sql: """
                    SELECT sensor, max(time) AS time, avg(temperature) AS temperature, avg(humidity) AS humidity
                    FROM measurement WHERE sensor IN (SELECT id FROM sensor) AND time BETWEEN :since AND :until
                    GROUP BY sensor, time / :share ORDER BY sensor, time
                    """,
                arguments: ["since": milliseconds, "until": end, "share": share]
            )
            return History(after: try self.place(database), values: rows)
        }
    }

    /// The measurements that were stored after a place, the oldest first.
    package func values(after place: Int64, limit: Int) throws -> [StoredValues] {
        try self.database.read { database in
            try StoredValues.fetchAll(
                database,
                sql: """
                    SELECT rowid AS place, sensor, time, temperature, humidity
                    FROM measurement WHERE rowid > ? ORDER BY rowid LIMIT ?
                    """,
                arguments: [place, limit]
            )
        }
    }

    /// The place of what was stored last.
    private func place(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT max(rowid) FROM measurement") ?? 0
    }

    /// When a commit is on disk, as SQLite counts it: 2 is FULL. For tests.
    func synchronous() throws -> Int? {
        try self.database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }
}

/// A sensor, and what is known of it.
package struct StoredSensor: Codable, FetchableRecord, Sendable {
    /// Its key in the database.
    package var id: Int64
    /// The sensor's own identity.
    package var identity: String
    /// The sensor's identifier in this host's Core Bluetooth.
    package var peripheral: String
    /// Its name.
    package var name: String
    /// Its battery, in %.
    package var battery: Int?
    /// Whether it is ignored.
    package var isForgotten: Bool
    /// The last measurement: its number, and its time in milliseconds since 1970.
    package var number: UInt32?
    package var time: Int64?
    /// The last known values, in 0.01 °C and 0.01 %.
    package var temperature: Int?
    package var humidity: Int?
    /// The number of measurements that the sensor no longer had when it was asked for them.
    package var missing: Int
}

/// Values at a time; one measurement, or the mean of several.
package struct StoredValues: Codable, FetchableRecord, Sendable {
    /// The order of storing.
    package var place: Int64?
    /// The sensor's key.
    package var sensor: Int64
    /// Milliseconds since 1970.
    package var time: Int64
    /// 0.01 °C.
    package var temperature: Double?
    /// 0.01 %.
    package var humidity: Double?
}

/// The first data of a page.
package struct History: Codable, Sendable {
    /// Newer measurements are stored after this place.
    package var after: Int64
    /// The curves, by sensor and time.
    package var values: [StoredValues]
}
