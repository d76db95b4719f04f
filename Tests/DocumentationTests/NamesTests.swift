// The documents name tests, files and symbols. These tests compare the names with the repository.

import Foundation
import Testing

@Suite("Names in the documents")
struct NamesTests {
    /// The documents, and each one's text.
    static let documents: [(path: String, text: String)] = files.filter { $0.hasSuffix(".md") }.sorted().compactMap {
        path in
        (try? String(contentsOf: WhereTests.root.appendingPathComponent(path), encoding: .utf8)).map { (path, $0) }
    }

    /// All files of the repository that documents may name.
    static let files: Set<String> = {
        let top = [
            "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md", "THREAT_MODEL.md", "VERSION",
            "Package.swift", "Dockerfile",
        ]
        let folders = [
            "Sources", "Tests", "docs", "Interop", "Fuzz", "Mutations", "Benchmarks", "Examples", "Packaging", ".ci",
        ]
        var result = Set(top)
        for folder in folders {
            let names = FileManager.default.enumerator(atPath: WhereTests.root.appendingPathComponent(folder).path)
            while let name = names?.nextObject() as? String {
                if name.split(separator: "/").last == ".build" { names?.skipDescendants() }
                result.insert("\(folder)/\(name)")
            }
        }
        return result
    }()

    @Test("names tests that exist")
    func tests() {
        var names: Set<Substring> = []
        for file in Self.files where file.hasPrefix("Tests/") {
            for part in file.replacing(/\.(swift|md)$/, with: "").split(separator: "/") { names.insert(part) }
            guard file.hasSuffix(".swift"), file.split(separator: "/").last?.contains("Tests") == true,
                let text = try? String(contentsOf: WhereTests.root.appendingPathComponent(file), encoding: .utf8)
            else { continue }
            for match in text.matches(of: /struct (\w+Tests)\b/) { names.insert(match.1) }
        }
        for (path, text) in Self.documents {
            for match in text.matches(of: /`([A-Z][A-Za-z0-9_+]*Tests)`/) {
                let isThere = names.contains(match.1)
                #expect(isThere, "\(path) names \(match.1)")
            }
        }
    }

    /// Symbols of Swift, of Apple's frameworks and of other packages that documents name.
    private static let foreign: Set<Substring> = [
        "BleakDeviceNotFoundError", "BleakError", "BleakScanner", "CBMCentralManagerDelegateWrapper",
        "CBMCentralManagerNative", "CBMPeripheralSpec", "CFReadStream", "CVarArg", "Clock", "Codable", "Combine",
        "ContinuousClock",
        "CoreData", "CoreLocation", "Crypto", "CryptoExtras", "Date", "DispatchQueue", "DispatchSerialQueue",
        "DispatchSource", "DispatchTime",
        "DispatchWallTime", "Dockerfile", "Equatable", "FileManager", "FoundationNetworking", "Future", "JSONDecoder",
        "LocalLink", "PairingDelegate",
        "NSBluetoothAlwaysUsageDescription", "NSError", "NSKeyedArchiver", "NSObject", "NSPredicate", "OSLog",
        "ObjectIdentifier", "ObservableObject", "OpenCombineShim", "ProcessInfo", "PropertyListSerialization",
        "CBMCharacteristicMock", "CBMDescriptorMock", "CBMPeripheralPreview", "CBMServiceMock", "RunLoop", "Sendable",
        "SuspendingClock", "SystemRandomNumberGenerator", "Task", "Thread", "Timer", "UIApplication",
        "UIBackgroundModes",
        "URLSession", "UserDefaults", "XCTestExpectation",
    ]

    @Test("names symbols that are declared")
    func symbols() {
        // Modules, folders and files are named too; `tests()` looks for suites.
        var names = Self.foreign
        for file in Self.files { names.formUnion(file.replacing(/\.(swift|md)$/, with: "").split(separator: "/")) }
        var count = 0
        for (path, text) in Self.documents where path != "docs/where.md" {
            let prose = text.replacing(/```(?s:.*?)```/, with: "")
            for match in prose.matches(of: /`((?<type>[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:\.\w+)*)(?:\([\w:]*\))?`/) {
                count += 1
                let symbol = String(match.1)
                guard !symbol.hasSuffix("Tests") else { continue }
                let isThere = names.contains(match.type) || !WhereTests.declarations(of: symbol).isEmpty
                #expect(isThere, "\(path) names \(symbol)")
            }
        }
        #expect(count > 1000)
    }

    @Test("names paths that exist")
    func paths() {
        for (path, text) in Self.documents {
            let paths = /`((?:Sources|Tests|Interop|Fuzz|Mutations|Benchmarks|Packaging|docs)\/[A-Za-z0-9_+.\/-]+)`/
            for match in text.matches(of: paths) {
                let name = match.1.hasSuffix("/") ? match.1.dropLast() : match.1
                // Looked up outside, so that a failure shows the name alone and not every file.
                let isThere = Self.files.contains(String(name))
                #expect(isThere, "\(path) names \(name)")
            }
        }
    }

    @Test("links to files that exist")
    func links() {
        #expect(Self.documents.count > 10)
        for (path, text) in Self.documents {
            let folder = path.split(separator: "/").dropLast().map(String.init)
            for match in text.matches(of: /\]\(([^)#:\s]+)(#[^)]*)?\)/) {
                var place = folder
                for part in match.1.split(separator: "/") {
                    if part == ".." { place.removeLast() } else if part != "." { place.append(String(part)) }
                }
                let isThere = Self.files.contains(place.joined(separator: "/"))
                #expect(isThere, "\(path) links to \(match.1)")
            }
        }
    }
}
