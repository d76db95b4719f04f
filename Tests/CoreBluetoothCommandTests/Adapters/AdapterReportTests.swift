import BluetoothAirService
import BluetoothTypes
import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

extension AdapterListing {
    static func of(_ adapters: [Adapter]) -> AdapterListing {
        var listing = AdapterListing(folder: "/nowhere")
        listing.adapters = adapters
        return listing
    }

    static let dongle = Adapter(index: 1, bus: "USB", driver: "btusb", product: "Radio", isUp: false)
}

@Suite("The report on adapters")
struct AdapterReportTests {
    private let pi = AdapterListing.Adapter(
        index: 0,
        address: DeviceAddress("B8:27:EB:01:02:0A", kind: .public),
        bus: "UART",
        driver: "hci_uart_bcm",
        isUp: true
    )

    private let dongle = AdapterListing.dongle

    private func report(
        _ adapters: [AdapterListing.Adapter],
        programs: [ProcessInformation] = [],
        may: Bool
    ) -> AdapterReport {
        var holders = AdapterHolders()
        holders.daemon = ProcessInformation(number: 800, name: "bluetoothd")
        holders.programs = programs
        return AdapterReport(
            listing: AdapterListing.of(adapters),
            holders: holders,
            program: "/opt/corebluetooth",
            mayUseAdapters: may,
            air: nil
        )
    }

    @Test("has the obstacles and the commands below each adapter, or that it is ready")
    func lines() {
        #expect(
            self.report([self.pi, self.dongle], may: true).lines == [
                "hci0    B8:27:EB:01:02:0A  up  UART, hci_uart_bcm",
                "    hci0 is in use by bluetoothd (process 800); beside it works --adapter bluez:hci0",
                "    to change that, run one of",
                "        bluetoothctl power off",
                "        sudo systemctl stop bluetooth",
                "hci1    no address yet  down  USB, btusb, Radio",
                "    ready: --adapter hci1",
                "air     your own air: there is no folder for it",
            ]
        )
        let blocked = AdapterListing.Adapter(index: 0, bus: "USB", isUp: false, block: .byProgram)
        #expect(
            self.report([blocked], may: false).lines.dropLast() == [
                "hci0    no address yet  blocked  USB",
                "    hci0 is switched off; to change that, run",
                "        rfkill unblock bluetooth",
                "    no permission for hci0; to change that, run",
                "        sudo setcap cap_net_admin,cap_net_raw+eip /opt/corebluetooth",
            ]
        )
    }

    @Test("names a switch of the machine that is off, and the command that switches it on")
    func radioSwitches() {
        var listing = AdapterListing.of([])
        listing.radioSwitches = [
            AdapterListing.RadioSwitch(name: "laptop", block: .none),
            AdapterListing.RadioSwitch(name: "tpacpi", block: .byProgram),
            AdapterListing.RadioSwitch(name: "dell", block: .bySwitch),
        ]
        let report = AdapterReport(listing: listing, holders: AdapterHolders(), program: "/x", mayUseAdapters: true)
        #expect(
            report.lines.dropFirst(2).dropLast() == [
                "Bluetooth (tpacpi) is switched off", "    rfkill unblock bluetooth",
                "Bluetooth (dell) is switched off by a switch or key of this machine",
            ]
        )
    }

    @Test("names the program that has an adapter, and the service that has the others")
    func holders() throws {
        let program = ProcessInformation(number: 900, name: "eightball")
        var (first, second) = (self.pi, self.dongle)
        (first.isManaged, second.isManaged, second.isUp) = (true, false, true)
        let report = self.report([first, second], programs: [program], may: true)
        #expect(
            report.lines.dropFirst(5).dropLast() == [
                "hci1    no address yet  up  USB, btusb, Radio",
                "    eightball (process 900) has hci1 for itself; to change that, run", "        kill 900",
            ]
        )
        let objects = try report.objects.map { try jsonObject($0.text) }
        let holders = objects.prefix(2).map { ($0["holder"] as? [String: Any])?["name"] as? String }
        #expect(holders == ["bluetoothd", "eightball"])
        #expect(
            self.report([second], may: true).lines[1]
                == "    another program has hci1 for itself; to see which one, run this command with sudo"
        )
    }

    @Test("has an object for each adapter and one for the air, with the same commands")
    func json() throws {
        let objects = try self.report([self.pi, self.dongle], may: true).objects.map { try jsonObject($0.text) }
        #expect(objects.map { $0["adapter"] as? String } == ["hci0", "hci1", "air"])
        #expect(objects[0]["address"] as? String == "B8:27:EB:01:02:0A")
        #expect(objects[0]["ready"] as? Bool == false)
        #expect((objects[0]["holder"] as? [String: Any])?["process"] as? Int == 800)
        let obstacles = try #require(objects[0]["obstacles"] as? [[String: Any]])
        #expect(obstacles.count == 1)
        #expect(obstacles[0]["commands"] as? [String] == ["bluetoothctl power off", "sudo systemctl stop bluetooth"])
        #expect(objects[1]["ready"] as? Bool == true && objects[1]["address"] is NSNull)
    }

    @Test("C5: says that a program with capabilities does not find libraries through LD_LIBRARY_PATH")
    func libraries() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("self"), withIntermediateDirectories: true)
        try Data(
            """
            5577-5578 r-xp 00000000 fe:00 12 /opt/ball/eightball
            7f01-7f02 r-xp 00000000 fe:00 13                         /opt/swift/lib/libswiftCore.so
            7f03-7f04 rw-p 00000000 00:00 0

            """.utf8
        ).write(to: URL(fileURLWithPath: folder("self/maps")))
        let processes = ProcessListing(folder: folder.path)
        for (path, isUsed) in [
            ("/opt/swift/lib", true), ("/usr/lib:/opt/swift/lib/", true), ("", false), ("/opt/s", false),
        ] {
            #expect(processes.usesLibraries(in: path) == isUsed, "\(path)")
        }
        #expect(!ProcessListing(folder: "/nowhere").usesLibraries(in: "/opt/swift/lib"))
        var report = self.report([self.dongle], may: false)
        report.holders = AdapterHolders()
        let plain = report.lines
        report.usesLibraryPath = true
        #expect(report.lines.filter { !plain.contains($0) }.last == "        swift build --static-swift-stdlib")
        report.mayUseAdapters = true
        #expect(!report.lines.contains { $0.contains("LD_LIBRARY_PATH") })
    }

    @Test(
        "has the state of an adapter, and what blocks it",
        arguments: [
            (.none, true, "up", "none"), (.none, false, "down", "none"), (.none, nil, "unknown", "none"),
            (.byProgram, true, "blocked", "program"), (.bySwitch, nil, "blocked", "switch"),
        ] as [(AdapterListing.Block, Bool?, String, String)]
    )
    func states(block: AdapterListing.Block, isUp: Bool?, state: String, word: String) throws {
        let adapter = AdapterListing.Adapter(index: 12_345, bus: "USB", driver: "btusb", isUp: isUp, block: block)
        let report = self.report([adapter], may: true)
        #expect(report.lines[0] == "hci12345 no address yet  \(state)  USB, btusb")
        let object = try jsonObject(report.objects.first?.text)
        #expect(object["block"] as? String == word && object["up"] as? Bool == isUp)
        #expect(object["bus"] as? String == "USB" && object["driver"] as? String == "btusb")
        let byHand = "    hci12345 is switched off by a switch or key of this machine; no command can change that"
        #expect(report.lines.contains(byHand) == (block == .bySwitch))
    }

    // MARK: The air

    private static func report(air: UserAirStatus?) -> AdapterReport {
        AdapterReport(listing: .of([]), holders: AdapterHolders(), program: "/x", mayUseAdapters: true, air: air)
    }

    @Test("has no holder and no socket for the air if there is no folder for it")
    func noAir() throws {
        let report = Self.report(air: nil)
        let text = report.objects.map(\.text)
        #expect(text == [#"{"adapter":"air","served":false,"holder":null,"suspended":false,"socket":null}"#])
        #expect(
            report.lines == [
                "no Linux adapter: plug one in, or run sudo modprobe bluetooth;",
                "    a container needs the network of its host (--net=host) to see one",
                "air     your own air: there is no folder for it",
            ]
        )
    }

    @Test("says who serves the air, and how to continue it if that process is suspended")
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
            var status = try UserAirStatus(folder: "/nowhere", processes: ProcessListing(folder: "/nowhere"))
            status.socket = "/run/user/1/air"
            (status.isServed, status.server, status.isSuspended) = (isServed, server, isSuspended)
            let report = Self.report(air: status)
            #expect(report.lines.last == "air     " + words)
            let object = try jsonObject(report.objects.last?.text)
            #expect(object["served"] as? Bool == isServed && object["suspended"] as? Bool == isSuspended)
            #expect(object["socket"] as? String == "/run/user/1/air")
            let holder = object["holder"] as? [String: Any]
            #expect(holder?["process"] as? Int == server?.number)
            #expect(holder?["name"] as? String == server?.name)
        }
    }
}
