// Procedures of a client as text: the procedure, the PDUs of both sides, and the result.
//
//     mtu 517                  the MTU of the clients that follow
//     read 0003 22             a new client starts a procedure: ``ClientProcedure/init(_:)`` has all
//     > 0C 03 00 16 00         the client must send this
//     < 0D 01 02               the server answers
//     = 01 02                  the procedure ends with this result
//     = error 02 0003          the server's error, and its handle; `malformed` and `altered` for other failures
//
// `AA*20` stands for twenty octets AA, `00..15` for all from 00 to 15; text after `#` is a comment.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

/// Runs a text.
struct ClientExchange {
    private var mtu = 23
    private var script = ClientScript()
    /// The lines of PDUs since the procedure began.
    private var exchanges = ""

    mutating func run(_ text: String, sourceLocation: SourceLocation) {
        var isOver = true
        for line in text.split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            guard let word = words.first else { continue }
            let rest = words.dropFirst()
            switch word {
            case "mtu": self.mtu = Int(rest.last ?? "") ?? 0
            case ">", "<": self.exchanges += "\(line)\n"
            case "=":
                let expected = rest.map { $0.contains("*") || $0.contains("..") ? octets([$0]).hex : $0 }
                self.expect(expected.joined(separator: " "), line, sourceLocation)
                isOver = true
            default:
                #expect(isOver, "no result before \(line)", sourceLocation: sourceLocation)
                guard let procedure = ClientProcedure(words) else {
                    Issue.record("unknown step \(line)", sourceLocation: sourceLocation)
                    return
                }
                self.script = ClientScript(mtu: self.mtu)
                self.script.start(procedure)
                isOver = false
            }
        }
        #expect(isOver, "no result at the end", sourceLocation: sourceLocation)
    }

    private mutating func expect(_ text: String, _ line: Substring, _ sourceLocation: SourceLocation) {
        self.script.play(self.exchanges, sourceLocation: sourceLocation)
        self.exchanges = ""
        let outcomes = self.script.takeReported().compactMap { action -> String? in
            guard case .complete(_, let outcome) = action else { return nil }
            return outcome.text.split(separator: " ").joined(separator: " ")
        }
        #expect(outcomes == [text], "\(line)", sourceLocation: sourceLocation)
        #expect(self.script.deadline == nil, sourceLocation: sourceLocation)
    }
}

extension TitledScript {
    /// The first request of a procedure meets each of these errors at the handle in the request.
    static func refusals(
        _ procedure: String,
        _ request: String,
        _ errors: [(title: String, code: UInt8)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [TitledScript] {
        errors.map { title, code in
            let handle = request.dropFirst(3).prefix(5)
            let name = "\(handle.suffix(2))\(handle.prefix(2)) "
            let steps = """
                \(procedure)
                > \(request)
                < 01 \(request.prefix(2)) \(handle) \(code.hexDigits)
                = error \(code.hexDigits) \(name)
                """
            return TitledScript(title: title, steps: steps, sourceLocation: sourceLocation)
        }
    }
}

extension ClientProcedure {
    /// The procedure of a line.
    init?(_ words: [String]) {
        let rest = Array(words.dropFirst())
        let handles = rest.compactMap { AttributeHandle($0, radix: 16) }
        let uuids = rest.compactMap { BluetoothUUID($0) }
        switch (words[0], handles.count) {
        case ("services", _): self = .discoverServices(uuids: rest.isEmpty ? nil : uuids)
        case ("included", 2): self = .discoverIncludedServices(handles[0]...handles[1])
        case ("characteristics", 2...):
            let filter = Array(uuids.dropFirst(2))
            self = .discoverCharacteristics(handles[0]...handles[1], uuids: filter.isEmpty ? nil : filter)
        case ("descriptors", 2):
            // The value and the end of a characteristic.
            self = .discoverDescriptors(GATTRemoteCharacteristic(0x2A00, .read, handles[0] - 1, handles[0], handles[1]))
        case ("read", 1...): self = .read(handles[0], offset: Int(rest.dropFirst().first ?? "") ?? 0)
        case ("readByType", _):
            guard let last = handles.last, let type = uuids.first else { return nil }
            self = .readByType(type, 1...last)
        case ("readMultiple", _): self = .readMultiple(handles)
        case ("readVariable", _): self = .readMultipleVariable(handles)
        case ("readDeviceName", _): self = .readDeviceName
        case ("readDatabaseHash", _): self = .readDatabaseHash
        case ("write", 1...): self = .write(handles[0], octets(rest.dropFirst()))
        case ("writeReliably", _):
            // A handle and octets for each value, with a semicolon between them.
            let values = rest.split(separator: ";").compactMap { words in
                AttributeHandle(words.first ?? "", radix: 16).map {
                    AttributeValue(handle: $0, value: octets(words.dropFirst()))
                }
            }
            self = .writeReliably(values)
        case ("notify", _), ("indicate", _), ("unsubscribe", _):
            let configurations: [String: ClientCharacteristicConfiguration] = [
                "notify": .notifications, "indicate": .indications, "unsubscribe": [],
            ]
            let configuration = configurations[words[0]] ?? []
            self = .configure(configuration, of: GATTClientTests.characteristic, at: handles.first)
        case ("configureCaching", _): self = .configureCaching
        case ("validate", 0) where rest.isEmpty: self = .validateDatabaseCache(nil)
        case ("resume", _), ("validate", _), ("validateAgain", _):
            // Service Changed, its configuration, and Client Supported Features, or `-`; the hash is 00..0F.
            guard rest.count == 3 else { return nil }
            let known = rest.map { AttributeHandle($0, radix: 16) }
            let database = GATTCachedDatabase(
                databaseHash: octets(16),
                serviceChanged: known[0],
                serviceChangedConfiguration: known[1],
                clientSupportedFeatures: known[2]
            )
            switch words[0] {
            case "resume": self = .resumeCaching(database)
            case "validate": self = .validateDatabaseCache(database)
            default: self = .validateAgain(database)
            }
        default: return nil
        }
    }
}

extension ClientProcedure.Outcome {
    /// The result in the words of a ``ClientExchange``.
    fileprivate var text: String {
        switch self {
        case .success(let output): output.text
        case .failure(.att(let error, let handle)): "error \(error.rawValue.hexDigits) \(handle.hexDigits)"
        case .failure(.malformedResponse): "malformed"
        case .failure(.reliableWriteMismatch): "altered"
        case .failure(let error): "\(error)"
        }
    }
}

extension ClientProcedure.Output {
    fileprivate var text: String {
        switch self {
        case .services(let services):
            services.map { service in
                "\(service.uuid) \(service.handles.lowerBound.hexDigits)-\(service.handles.upperBound.hexDigits)"
                    + (service.isPrimary ? "" : " secondary")
            }.joined(separator: ", ")
        case .characteristics(let characteristics):
            characteristics.map { found in
                let handles = [found.declarationHandle, found.valueHandle, found.endHandle].map(\.hexDigits)
                return "\(found.uuid) \(found.properties.rawValue.hexDigits) \(handles.joined(separator: " "))"
            }.joined(separator: ", ")
        case .descriptors(let descriptors), .configured(let descriptors?):
            descriptors.map { "\($0.uuid) \($0.handle.hexDigits)" }.joined(separator: ", ")
        case .value(let value): value.hex
        case .values(let values):
            values.map { "\($0.handle.hexDigits): \($0.value.hex)" }.joined(separator: ", ")
        case .done, .configured(nil): "done"
        case .caching(let caching):
            "caching "
                + Self.text(
                    caching.serviceChanged,
                    caching.serviceChangedConfiguration,
                    caching.clientSupportedFeatures
                )
                + (caching.databaseHash == octets(16) ? " hash" : caching.databaseHash == nil ? " -" : " another hash")
        case .validation(.changed(let database)): "changed \(Self.text(of: database))"
        case .validation(.unchanged(let database)): "unchanged \(Self.text(of: database))"
        case .validation(.noDatabaseHash): "noDatabaseHash"
        case .mtu, .discovered: "\(self)"
        }
    }
    private static func text(_ handles: AttributeHandle?...) -> String {
        handles.map { $0?.hexDigits ?? "-" }.joined(separator: " ")
    }

    private static func text(of database: GATTCachedDatabase) -> String {
        let hash = database.databaseHash == octets(16) ? "" : " with another hash"
        return self.text(
            database.serviceChanged,
            database.serviceChangedConfiguration,
            database.clientSupportedFeatures
        ) + hash
    }
}
