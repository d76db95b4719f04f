// A page with a program and the file that is compiled and run as a test are the same, character for character. A page
// that joins gets a row in `Page.all`.

import Foundation
import Testing

/// A page with a program, and the file of the program.
struct Page: Sendable, CustomTestStringConvertible {
    /// The page, from the root of the repository.
    let page: String
    /// The files, from the root of the repository, one after another: a paragraph, an empty line, and code of the page.
    let programs: [String]

    var testDescription: String { self.page }

    init(page: String, program: String) { self.init(page: page, programs: [program]) }

    init(page: String, programs: [String]) {
        self.page = page
        self.programs = programs
    }

    static let all = [
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/TestYourCode.md",
            program: "Tests/CoreBluetoothTestingTests/TutorialTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/Pairing.md",
            program: "Tests/CoreBluetoothTestingTests/PairingArticleTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/ManySeeds.md",
            program: "Tests/CoreBluetoothTestingTests/ManySeedsTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/QueuesAndTasks.md",
            program: "Tests/CoreBluetoothTestingTests/QueuesAndTasksArticleTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/NotifyAndWrite.md",
            program: "Tests/CoreBluetoothTestingTests/NotifyAndWriteArticleTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/AppLifeCycle.md",
            program: "Tests/CoreBluetoothTestingTests/AppLifeCycleArticleTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/FromACaptureToATest.md",
            program: "Tests/CoreBluetoothTestingTests/CaptureArticleTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/ManyDevices.md",
            program: "Tests/CoreBluetoothTestingTests/ManyDevicesArticleTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/ComingFromNordicsMock.md",
            program: "Tests/CoreBluetoothTestingTests/NordicsMockArticleTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetoothProcessTime/CoreBluetoothProcessTime.docc/ProcessTime.md",
            program: "Tests/CoreBluetoothProcessTimeTests/ProcessTimeArticleTests.swift"
        ),
        Page(
            page: "Sources/CoreBluetooth/CoreBluetooth.docc/YourFirstProgram.md",
            programs: [
                "Examples/FirstProgram/Package.swift", "Examples/FirstProgram/Sources/FirstProgram/main.swift",
            ]
        ),
        Page(
            page: "Sources/CoreBluetooth/CoreBluetooth.docc/FromIOSToLinuxCI.md",
            programs: [
                "Examples/HeartRate/Package.swift",
                "Examples/HeartRate/Sources/HeartRateModel/HeartRateModel.swift",
                "Tests/PortingTests/Recipes/Constants.swift",
            ]
        ),
        Page(
            page: "Sources/CoreBluetooth/CoreBluetooth.docc/PortingAnApp.md",
            programs: ["Examples/Porting/Sources/Publishers/Publishers.swift"]
                + [
                    "Cryptography", "Logs", "Selectors", "Platforms", "Timers", "Errors", "Octets", "Subclasses",
                    "Bundles", "AssociatedValues", "Locks", "KeyPaths", "Executors", "Streams", "Factories",
                    "ScopedImports",
                ].map { "Tests/PortingTests/Recipes/\($0).swift" }
        ),
        Page(
            page: "Sources/CoreBluetoothObservation/CoreBluetoothObservation.docc/CoreBluetoothObservation.md",
            program: "Tests/CoreBluetoothObservationTests/PageTests.swift"
        ),
        Page(
            page: "Sources/BluetoothHCI/BluetoothHCI.docc/DecodeACapture.md",
            program: "Tests/DocumentationTests/Pages/DecodeACapture.swift"
        ),
        Page(
            page: "Sources/BluetoothHCI/BluetoothHCI.docc/DeclareACommand.md",
            program: "Tests/DocumentationTests/Pages/DeclareACommand.swift"
        ),
        Page(
            page: "Sources/BluetoothAir/BluetoothAir.docc/TwoHosts.md",
            program: "Tests/DocumentationTests/Pages/TwoHosts.swift"
        ),
        Page(
            page: "Sources/BluetoothAirService/BluetoothAirService.docc/ServeAnAir.md",
            program: "Tests/SystemTests/Documentation/ServeAnAir.swift"
        ),
        Page(
            page: "Sources/BluetoothTransport/BluetoothTransport.docc/ControllerBehindASocket.md",
            program: "Tests/SystemTests/Documentation/ControllerBehindASocket.swift"
        ),
        Page(
            page: "Sources/BluetoothHost/BluetoothHost.docc/FindADevice.md",
            program: "Tests/SystemTests/Documentation/FindADevice.swift"
        ),
        Page(page: "docs/coming-from.md", program: "Tests/PortingTests/Recipes/Notifications.swift"),
    ]

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The blocks of Swift code in the page, joined by empty lines.
    func code() throws -> String {
        var blocks: [String] = []
        var block: [Substring]?
        for line in try Self.text(self.page).split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```swift" {
                block = []
            } else if line == "```", let lines = block {
                blocks.append(lines.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks.joined(separator: "\n\n")
    }
}

@Suite("Pages")
struct PagesTests {
    @Test("has the code of a file that is compiled and run", arguments: Page.all)
    func code(of page: Page) throws {
        let program = try page.programs.map { path in
            let code = try Page.text(path).split(separator: "\n\n", maxSplits: 1)[1].trimmingCharacters(in: .newlines)
            return Self.inAPackageOfYourOwn(code)
        }
        .joined(separator: "\n\n")
        #expect(try page.code() == program)
        #expect(program.count > 400)
    }

    /// A manifest of an example as it is outside this repository, which its comment says.
    private static func inAPackageOfYourOwn(_ manifest: String) -> String {
        let byPath = /\/\/ In a package of your own: (.*)\n\s*\.package\(name: "OpenCoreBluetooth", path: "..\/.."\)/
        return manifest.replacing(byPath) { $0.1 }
    }

    @Test("is on the site's front page, each article and the landing page of each library")
    func frontPage() throws {
        let front = try Page.text("docs/front/index.html")
        let sources = Page.root.appendingPathComponent("Sources")
        for module in try FileManager.default.contentsOfDirectory(atPath: sources.path) where module != "Lessons" {
            let catalogue = sources.appendingPathComponent("\(module)/\(module).docc")
            let files = (try? FileManager.default.contentsOfDirectory(atPath: catalogue.path)) ?? []
            for file in files where file.hasSuffix(".md") {
                let article = file == "\(module).md" ? "" : "\(file.dropLast(3).lowercased())/"
                let place = "href=\"documentation/\(module.lowercased())/\(article)\""
                #expect(front.contains(place), "\(place)")
            }
        }
    }

    @Test("links to files that are there, which a code host shows")
    func links() throws {
        let sources = Page.root.appendingPathComponent("Sources")
        var count = 0
        for module in try FileManager.default.contentsOfDirectory(atPath: sources.path) where module != "Lessons" {
            let catalogue = sources.appendingPathComponent("\(module)/\(module).docc")
            let files = (try? FileManager.default.contentsOfDirectory(atPath: catalogue.path)) ?? []
            for file in files where file.hasSuffix(".md") {
                let text = try Page.text("Sources/\(module)/\(module).docc/\(file)")
                #expect(!text.contains("<doc:"), "\(module)/\(file)")
                for link in text.matches(of: /\]\(([A-Za-z0-9]+\.md)\)/) {
                    #expect(files.contains(String(link.1)), "\(module)/\(file): \(link.1)")
                    count += 1
                }
            }
        }
        #expect(count >= 20)
    }

    @Test("has the workflow of the example")
    func workflow() throws {
        let page = try Page.text("Sources/CoreBluetooth/CoreBluetooth.docc/FromIOSToLinuxCI.md")
        let workflow = try Page.text("Examples/HeartRate/.github/workflows/test.yml")
        #expect(page.contains("```yaml\n\(workflow)```\n"))
    }

    @Test("reaches every article from the landing page of its module")
    func landingPages() throws {
        let sources = Page.root.appendingPathComponent("Sources")
        var articles = 0
        for module in try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted() {
            let catalogue = sources.appendingPathComponent("\(module)/\(module).docc")
            guard let files = try? FileManager.default.contentsOfDirectory(atPath: catalogue.path) else { continue }
            let landing = try Page.text("Sources/\(module)/\(module).docc/\(module).md")
            for file in files where file.hasSuffix(".md") && file != "\(module).md" {
                #expect(landing.contains("](\(file))"), "\(module)/\(file)")
                articles += 1
            }
        }
        #expect(articles >= 6)
    }
}
