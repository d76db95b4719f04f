// The report on adapters, over folders that look like the kernel's.

import BluetoothAirService
import BluetoothTypes
import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("corebluetooth adapters")
struct AdaptersTests {
    private func listing(_ adapters: [AdapterListing.Adapter]) -> AdapterListing {
        var listing = AdapterListing(folder: "/nowhere")
        listing.adapters = adapters
        return listing
    }

    private let pi = AdapterListing.Adapter(
        index: 0,
        address: DeviceAddress("B8:27:EB:01:02:0A", kind: .public),
        bus: "UART",
        driver: "hci_uart_bcm",
        product: nil,
        isUp: true,
        block: .none
    )
    private let dongle = AdapterListing.Adapter(
        index: 1,
        address: nil,
        bus: "USB",
        driver: "btusb",
        product: "Radio",
        isUp: false,
        block: .none
    )

    private func report(
        _ adapters: [AdapterListing.Adapter],
        programs: [ProcessInformation] = [],
        may: Bool
    ) -> AdapterReport {
        var holders = AdapterHolders()
        holders.daemon = ProcessInformation(number: 800, name: "bluetoothd")
        holders.programs = programs
        return AdapterReport(
            listing: self.listing(adapters),
            holders: holders,
            program: "/opt/corebluetooth",
            mayUseAdapters: may,
            air: nil
        )
    }

    @Test("Below each adapter stand what is in the way and the commands, or that it is ready")
    func lines() {
        #expect(
            self.report([self.pi, self.dongle], may: true).lines == [
                "hci0    B8:27:EB:01:02:0A  up  UART, hci_uart_bcm",
                "    hci0 is in use by bluetoothd (process 800); to change that, run one of",
                "        bluetoothctl power off",
                "        sudo systemctl stop bluetooth",
                "hci1    no address yet  down  USB, btusb, Radio",
                "    ready: --adapter hci1",
                "air     your own air: there is no folder for it",
            ]
        )
        let blocked = AdapterListing.Adapter(
            index: 0,
            address: nil,
            bus: "USB",
            driver: nil,
            product: nil,
            isUp: false,
            block: .byProgram
        )
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

    @Test("A switch of the machine is named where it is off, with what switches it on")
    func radioSwitches() {
        var listing = self.listing([])
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

    @Test("Each adapter has its own holder: the program whose it is, the service with the others")
    func holders() throws {
        let program = ProcessInformation(number: 900, name: "eightball")
        var (first, second) = (self.pi, self.dongle)
        (first.isManaged, second.isManaged, second.isUp) = (true, false, true)
        let report = self.report([first, second], programs: [program], may: true)
        #expect(
            report.lines.dropLast() == [
                "hci0    B8:27:EB:01:02:0A  up  UART, hci_uart_bcm",
                "    hci0 is in use by bluetoothd (process 800); to change that, run one of",
                "        bluetoothctl power off",
                "        sudo systemctl stop bluetooth",
                "hci1    no address yet  up  USB, btusb, Radio",
                "    eightball (process 900) has hci1 for itself; to change that, run",
                "        kill 900",
            ]
        )
        let objects = try report.objects.map { value in
            try #require(try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
        }
        let holders = objects.prefix(2).map { ($0["holder"] as? [String: Any])?["name"] as? String }
        #expect(holders == ["bluetoothd", "eightball"])
        #expect(
            self.report([second], may: true).lines[1]
                == "    another program has hci1 for itself; to see which one, run this command with sudo"
        )
    }

    @Test("The JSON has an object for each adapter and one for the air, with the same commands")
    func json() throws {
        let objects = try self.report([self.pi, self.dongle], may: true).objects.map { value in
            try #require(try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["adapter"] as? String } == ["hci0", "hci1", "air"])
        #expect(objects[0]["address"] as? String == "B8:27:EB:01:02:0A")
        #expect(objects[0]["ready"] as? Bool == false)
        #expect((objects[0]["holder"] as? [String: Any])?["process"] as? Int == 800)
        let obstacles = try #require(objects[0]["obstacles"] as? [[String: Any]])
        #expect(obstacles.count == 1)
        #expect(obstacles[0]["commands"] as? [String] == ["bluetoothctl power off", "sudo systemctl stop bluetooth"])
        #expect(objects[1]["ready"] as? Bool == true)
        #expect(objects[1]["address"] is NSNull)
        #expect(objects[2]["served"] as? Bool == false)
    }

    @Test("The files for good name the program and the adapter")
    func setup() throws {
        let text = SetupFiles(program: "/opt/my ball", listing: self.listing([self.dongle])).text
        #expect(text.contains("# /etc/systemd/system/my-ball.service"))
        #expect(text.contains("ExecStart=\"/opt/my ball\"\nEnvironment=COREBLUETOOTH_ADAPTER=hci1\n"))
        #expect(!text.contains("Type=notify") && !text.contains("sudo install"))
        #expect(text.contains("AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW"))
        #expect(text.contains("Conflicts=bluetooth.service"))
        #expect(text.contains("SUBSYSTEM==\"bluetooth\""))
        // That of the packages takes its arguments from a file, and is the same below.
        let packaged = SetupFiles(program: "/usr/bin/corebluetooth", listing: self.listing([])).packagedUnit
        #expect(packaged.contains("ExecStart=\"/usr/bin/corebluetooth\" $ARGUMENTS\n"))
        #expect(!packaged.contains("hci0"))
        let own = SetupFiles(program: "/opt/corebluetooth", listing: self.listing([self.dongle])).text
        let end = try #require(packaged.range(of: "AmbientCapabilities")).lowerBound
        #expect(own.contains(packaged[end...]))
    }

    @Test(
        "C5: the unit starts a command of ours that reports when it is ready, where the service's user may run it",
        arguments: [
            ("/usr/bin/corebluetooth", "ExecStart=\"/usr/bin/corebluetooth\" advertise\n", nil),
            (
                "/root/.build/debug/eightball", "\"/usr/local/bin/eightball\" peripheral\n",
                "/root/.build/debug/eightball"
            ),
            ("/home/me/it's/blueear", "\"/usr/local/bin/blueear\" peripheral\n", "'/home/me/it'\\''s/blueear'"),
            ("/opt/50%/\"a\\b\"", "ExecStart=\"/opt/50%%/\\\"a\\\\b\\\"\"\n", nil),
        ] as [(String, String, String?)]
    )
    func services(program: String, start: String, installed: String?) {
        let text = SetupFiles(program: program, listing: self.listing([self.dongle])).text
        #expect(text.contains(start), "\(text)")
        #expect(text.contains("Type=notify\nWatchdogSec=30\n") == !program.hasPrefix("/opt"))
        #expect(text.contains("RestartSec=5\n"))
        #expect(text.contains("sudo install") == (installed != nil))
        if let installed { #expect(text.contains("sudo install \(installed) /usr/local/bin/")) }
    }

    @Test("C5: a program that finds libraries through LD_LIBRARY_PATH does not with capabilities, and says so")
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
}
