// The report on adapters in each state of an adapter, its holders, the program and the air: as lines, as JSON, and the
// files for good beside it, on record.

import BluetoothAirService
import BluetoothTypes
import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("A walk through reports on adapters")
struct AdapterReportWalkTests {
    private static func listing(_ adapters: [AdapterListing.Adapter]) -> AdapterListing {
        var listing = AdapterListing(folder: "/nowhere")
        listing.adapters = adapters
        return listing
    }

    /// The user's own air in a state.
    private static func air(
        isServed: Bool,
        server: ProcessInformation?,
        isSuspended: Bool
    ) throws -> UserAirStatus {
        var status = try UserAirStatus(folder: "/nowhere", processes: ProcessListing(folder: "/nowhere"))
        status.socket = "/run/user/1/air"
        status.isServed = isServed
        status.server = server
        status.isSuspended = isSuspended
        return status
    }

    private static func report(_ air: UserAirStatus?) -> AdapterReport {
        AdapterReport(
            listing: Self.listing([]),
            holders: AdapterHolders(),
            program: "/x",
            mayUseAdapters: true,
            air: air
        )
    }

    private static func object(_ value: JSONValue) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
    }

    @Test("Without a folder for it, the air is neither served nor suspended, and has no holder and no socket")
    func noAir() throws {
        let report = Self.report(nil)
        #expect(report.objects.count == 1)
        let text = report.objects.map(\.text)
        #expect(text == [#"{"adapter":"air","served":false,"holder":null,"suspended":false,"socket":null}"#])
        #expect(
            report.lines == [
                "no Linux adapter: plug one in, or run sudo modprobe bluetooth;",
                "    a container needs the network of its host (--net=host) to see one",
                "air     your own air: there is no folder for it",
            ]
        )
        RunRecord.note("\(text) \(report.lines)")
    }

    @Test("Who serves the air, and whether it is suspended, is said in a line and in JSON")
    func airs() throws {
        let named = ProcessInformation(number: 812, name: "eightball")
        let unnamed = ProcessInformation(number: 813, name: nil)
        let cases: [(Bool, ProcessInformation?, Bool, String)] = [
            (false, nil, false, "your own air: nobody serves it now; the first program that needs it does"),
            (false, named, true, "your own air: nobody serves it now; the first program that needs it does"),
            (true, nil, false, "your own air, served by another process"),
            (true, named, false, "your own air, served by eightball (process 812)"),
            (true, unnamed, false, "your own air, served by process 813"),
            (true, nil, true, "your own air, served by another process, which is suspended: continue it with fg"),
            (
                true, named, true,
                "your own air, served by eightball (process 812), which is suspended: continue it with fg "
                    + "or kill -CONT 812"
            ),
        ]
        for (isServed, server, isSuspended, words) in cases {
            let report = Self.report(try Self.air(isServed: isServed, server: server, isSuspended: isSuspended))
            #expect(report.lines.last == "air     " + words)
            let object = try Self.object(try #require(report.objects.last))
            #expect(object["served"] as? Bool == isServed)
            #expect(object["suspended"] as? Bool == isSuspended)
            #expect(object["socket"] as? String == "/run/user/1/air")
            let holder = object["holder"] as? [String: Any]
            #expect(holder?["process"] as? Int == server?.number)
            #expect(holder?["name"] as? String == server?.name)
            RunRecord.note("\(report.lines) \(report.objects.map(\.text))")
        }
    }

    @Test("Each adapter with each holder, program and permission")
    func adapters() throws {
        let address = DeviceAddress("B8:27:EB:01:02:0A", kind: .public)
        let service = ProcessInformation(number: 800, name: "bluetoothd")
        let program = ProcessInformation(number: 900, name: "eightball")
        for block in [AdapterListing.Block.none, .byProgram, .bySwitch] {
            for isUp in [nil, false, true] as [Bool?] {
                for isManaged in [nil, false, true] as [Bool?] {
                    for number in 0..<8 {
                        var holders = AdapterHolders()
                        if number & 1 != 0 { holders.daemon = service }
                        if number & 2 != 0 { holders.programs = [program] }
                        if number & 4 != 0 { holders.unseenCount = 1 }
                        for permission in [nil, false, true] as [Bool?] {
                            let adapter = AdapterListing.Adapter(
                                index: number == 0 ? 0 : 12_345,
                                address: isManaged == nil ? nil : address,
                                bus: "USB",
                                driver: isUp == nil ? nil : "btusb",
                                product: isUp == true ? "Radio" : nil,
                                isUp: isUp,
                                isManaged: isManaged,
                                block: block
                            )
                            try Self.check(
                                AdapterReport(
                                    listing: Self.listing([adapter]),
                                    holders: holders,
                                    program: number == 3 ? nil : "/opt/it's",
                                    mayUseAdapters: permission,
                                    usesLibraryPath: number % 3 == 0,
                                    air: nil
                                ),
                                adapter
                            )
                        }
                    }
                }
            }
        }
    }

    private static func check(_ report: AdapterReport, _ adapter: AdapterListing.Adapter) throws {
        RunRecord.note("\(report.lines) \(report.objects.map(\.text))")
        let reasons = adapter.reasonsUnavailable(
            holders: report.holders,
            program: report.program,
            mayUseAdapters: report.mayUseAdapters
        )
        let name = adapter.name.description
        #expect(report.lines.contains("    ready: --adapter \(name)") == reasons.isEmpty)
        #expect(report.lines.first?.hasPrefix(name + " ") == true)
        for reason in reasons {
            let line = "    " + reason.reason(for: name)
            #expect(report.lines.contains { $0.hasPrefix(line) })
            for command in reason.commands { #expect(report.lines.contains("        " + command)) }
            if reason.commands.isEmpty, reason != .program(nil) {
                #expect(report.lines.contains(line + "; no command can change that"))
            }
        }
        let lacksPermission = report.mayUseAdapters != true
        let saysLibraries = report.lines.contains { $0.contains("LD_LIBRARY_PATH") }
        #expect(saysLibraries == (lacksPermission && report.usesLibraryPath))
        let object = try Self.object(try #require(report.objects.first))
        #expect(object["ready"] as? Bool == reasons.isEmpty)
        #expect((object["obstacles"] as? [[String: Any]])?.count == reasons.count)
        let words: String
        switch adapter.block {
        case .none: words = "none"
        case .byProgram: words = "program"
        case .bySwitch: words = "switch"
        }
        #expect(object["block"] as? String == words)
        #expect(object["up"] as? Bool == adapter.isUp)
        #expect(object["bus"] as? String == "USB")
        #expect(object["driver"] as? String == adapter.driver)
        #expect(object["product"] as? String == adapter.product)
    }

    @Test("The files for good, for programs in all places and with all names")
    func files() {
        let programs: [String?] = [
            nil, "/usr/bin/corebluetooth", "/opt/eightball", "/usr", "/usr/", "/opt", "/home/me/blueear",
            "/home/me/other thing", "corebluetooth", "/", "", "/opt/naïve_2%", "/usr/local/bin/-",
            "/optional/eightball",
        ]
        let lists: [[AdapterListing.Adapter]] = [
            [], [AdapterListing.Adapter(index: 3, bus: "USB")],
            [AdapterListing.Adapter(index: 1, bus: "USB"), AdapterListing.Adapter(index: 0, bus: "UART")],
        ]
        for program in programs {
            for adapters in lists {
                let files = SetupFiles(program: program, listing: Self.listing(adapters))
                RunRecord.note(files.text)
                RunRecord.note(files.packagedUnit)
                let name = adapters.first?.name.description ?? "hci0"
                #expect(files.text.contains("Environment=COREBLUETOOTH_ADAPTER=\(name)\n"))
                #expect(files.text.contains("Wants=sys-subsystem-bluetooth-devices-\(name).device\n"))
                #expect(files.packagedUnit.hasPrefix("# /etc/systemd/system/"))
            }
        }
        let nobody = SetupFiles(program: nil, listing: Self.listing([])).text
        #expect(nobody.hasPrefix("# /etc/systemd/system/PROGRAM.service\n[Unit]\nDescription=PROGRAM on hci0\n"))
        #expect(nobody.contains("\nExecStart=\"/usr/local/bin/PROGRAM\"\n"))
        #expect(nobody.contains("\n# /etc/udev/rules.d/70-PROGRAM.rules\n"))
        let own = SetupFiles(program: "/home/me/blueear", listing: Self.listing([])).text
        #expect(own.contains("\n#     sudo install /home/me/blueear /usr/local/bin/blueear\n\n"))
    }
}
