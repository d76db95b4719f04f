// The listing, over folders that look like the kernel's.

import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Adapter listing")
struct AdapterListingTests {
    /// A tree of devices with the views by class that the kernel makes of it.
    struct System {
        let folder: TemporaryFolder
        var path: String { self.folder("class") }

        init() throws {
            self.folder = try TemporaryFolder()
            try self.makeFolder("class")
        }

        private func makeFolder(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: self.folder(name), withIntermediateDirectories: true)
        }

        func write(_ file: String, _ text: String) throws {
            try self.makeFolder((file as NSString).deletingLastPathComponent)
            try Data(text.utf8).write(to: URL(fileURLWithPath: self.folder(file)))
        }

        func link(_ name: String, to target: String) throws {
            try self.makeFolder((name as NSString).deletingLastPathComponent)
            if !target.hasPrefix("../") { try self.makeFolder(target) }
            try FileManager.default.createSymbolicLink(
                atPath: self.folder(name),
                withDestinationPath: target.hasPrefix("../") ? target : self.folder(target)
            )
        }

        /// Adds an adapter on a device that stands at `parent`.
        func addAdapter(_ name: String, on parent: String?, bus: String? = nil, driver: String? = nil) throws {
            let place = "devices/\(parent ?? "virtual")/bluetooth/\(name)"
            try self.link("class/bluetooth/\(name)", to: place)
            guard let parent else { return }
            try self.link("\(place)/device", to: "devices/\(parent)")
            if let bus { try self.link("devices/\(parent)/subsystem", to: "bus/\(bus)") }
            if let driver { try self.link("devices/\(parent)/driver", to: "bus/drivers/\(driver)") }
        }

        func addSwitch(_ entry: String, name: String, type: String = "bluetooth", soft: Int, hard: Int) throws {
            try self.write("class/rfkill/\(entry)/name", "\(name)\n")
            try self.write("class/rfkill/\(entry)/type", "\(type)\n")
            try self.write("class/rfkill/\(entry)/soft", "\(soft)\n")
            try self.write("class/rfkill/\(entry)/hard", "\(hard)\n")
        }
    }

    @Test("a machine without Bluetooth has none")
    func nothing() throws {
        let system = try System()
        #expect(AdapterListing(folder: system.path).adapters.isEmpty)
        #expect(AdapterListing(folder: system.path).radioSwitches.isEmpty)
        #expect(AdapterListing(folder: system.folder("nowhere")).adapters.isEmpty)
    }

    @Test("adapters are listed by number with the content of their folders; their links are not")
    func adapters() throws {
        let system = try System()
        try system.addAdapter("hci10", on: nil)
        try system.addAdapter("hci0", on: "pci/usb1/1-4/1-4:1.0", bus: "usb", driver: "btusb")
        try system.write("devices/pci/usb1/1-4/product", "Bluetooth Radio\n")
        try system.addAdapter("hci2", on: "soc/serial0/serial0-0", bus: "serial", driver: "hci_uart_bcm")
        try system.write("devices/soc/serial0/serial0-0/bluetooth/hci2/address", "b8:27:eb:01:02:0a\n")
        try system.addAdapter("hci3", on: "soc/strange", bus: "rpmsg")
        for other in ["hci0:64", "hci", "hci01", "hci70000", "hcix", "lo"] { try system.addAdapter(other, on: nil) }
        let listing = AdapterListing(folder: system.path)
        #expect(
            listing.adapters == [
                .init(
                    index: 0,
                    address: nil,
                    bus: "USB",
                    driver: "btusb",
                    product: "Bluetooth Radio",
                    isUp: nil,
                    block: .none
                ),
                .init(
                    index: 2,
                    address: DeviceAddress(0xB827_EB01_020A, kind: .public),
                    bus: "UART",
                    driver: "hci_uart_bcm",
                    product: nil,
                    isUp: nil,
                    block: .none
                ),
                .init(index: 3, address: nil, bus: "rpmsg", driver: nil, product: nil, isUp: nil, block: .none),
                .init(index: 10, address: nil, bus: "virtual", driver: nil, product: nil, isUp: nil, block: .none),
            ]
        )
        #expect(listing.adapters.map(\.name.description) == ["hci0", "hci2", "hci3", "hci10"])
    }

    @Test("a radio that is switched off has the cause; a switch of the machine is listed on its own")
    func blocks() throws {
        let system = try System()
        for index in 0...3 { try system.addAdapter("hci\(index)", on: nil) }
        try system.addSwitch("rfkill0", name: "phy0", type: "wlan", soft: 1, hard: 0)
        try system.addSwitch("rfkill1", name: "hci0", soft: 0, hard: 0)
        try system.addSwitch("rfkill2", name: "hci1", soft: 1, hard: 0)
        try system.addSwitch("rfkill3", name: "hci2", soft: 1, hard: 1)
        try system.addSwitch("rfkill10", name: "a_bluetooth_switch", soft: 0, hard: 1)
        let listing = AdapterListing(folder: system.path)
        #expect(listing.adapters.map(\.block) == [.none, .byProgram, .bySwitch, .none])
        #expect(listing.radioSwitches == [.init(name: "a_bluetooth_switch", block: .bySwitch)])
    }

    @Test("reads missing details from the kernel, and ignores an address of zeroes")
    func kernel() throws {
        let system = try System()
        for index in 0...2 { try system.addAdapter("hci\(index)", on: nil) }
        try system.write("devices/virtual/bluetooth/hci1/address", "00:00:00:00:00:00\n")
        let known = DeviceAddress(0x0011_2233_4455, kind: .public)
        let listing = AdapterListing(folder: system.path) { index in
            switch index {
            case 0: .init(address: known, isUp: true)
            case 1: .init(address: .none, isUp: false)
            default: nil
            }
        }
        #expect(listing.adapters.map(\.address) == [known, nil, nil])
        #expect(listing.adapters.map(\.isUp) == [true, false, nil])
    }

    @Test("marks an adapter as managed if the kernel's management lists it")
    func managed() throws {
        let system = try System()
        let folder = system.path
        #expect(AdapterListing(folder: folder, kernel: { _ in nil }, managed: { [0] }).adapters.isEmpty)
        for index in [0, 1, 10] { try system.addAdapter("hci\(index)", on: nil) }
        func managed(_ indices: Set<Int>?) -> [Bool?] {
            AdapterListing(folder: folder, kernel: { _ in nil }, managed: { indices }).adapters.map(\.isManaged)
        }
        #expect(managed([0, 2, 10]) == [true, false, true])
        #expect(managed([]) == [false, false, false])
        #expect(managed(nil) == [nil, nil, nil])
        #expect(AdapterListing(folder: folder).adapters.map(\.isManaged) == [nil, nil, nil])
    }

    @Test(
        "names the bus of an adapter by its kind, or by the kernel's word",
        arguments: [
            ("usb", "USB"), ("tty", "UART"), ("serial", "UART"), ("serdev", "UART"), ("sdio", "SDIO"), ("mmc", "SDIO"),
            ("pci", "PCI"), ("platform", "platform"),
        ]
    )
    func buses(subsystem: String, bus: String) throws {
        let system = try System()
        try system.addAdapter("hci0", on: "soc/device", bus: subsystem)
        #expect(AdapterListing(folder: system.path).adapters.map(\.bus) == [bus])
    }

    @Test("the address that the folder shows comes before that of the kernel, unless it is none")
    func addresses() throws {
        let shown = DeviceAddress(0xB827_EB01_020A, kind: .public)
        let asked = DeviceAddress(0x0011_2233_4455, kind: .public)
        let rows: [(text: String?, kernel: DeviceAddress?, expected: DeviceAddress?)] = [
            ("b8:27:eb:01:02:0a", asked, shown), ("b8:27:eb:01:02:0a", DeviceAddress.none, shown),
            ("b8:27:eb:01:02:0a", nil, shown), ("00:00:00:00:00:00", asked, asked), ("nonsense", asked, asked),
            (nil, asked, asked), ("00:00:00:00:00:00", nil, nil), ("nonsense", nil, nil),
        ]
        for (number, row) in rows.enumerated() {
            let system = try System()
            try system.addAdapter("hci0", on: nil)
            if let text = row.text { try system.write("devices/virtual/bluetooth/hci0/address", text + "\n") }
            let listing = AdapterListing(folder: system.path) { _ in
                row.kernel.map { AdapterListing.KernelInformation(address: $0, isUp: true) }
            }
            #expect(listing.adapters.map(\.address) == [row.expected], "\(number)")
        }
    }

    @Test("switches of the machine are in the order of their names; one without a name, or of another kind, is none")
    func switches() throws {
        let system = try System()
        try system.addAdapter("hci0", on: nil)
        try system.addSwitch("rfkill0", name: "z_switch", soft: 1, hard: 0)
        try system.addSwitch("rfkill1", name: "a_switch", soft: 0, hard: 0)
        try system.addSwitch("rfkill2", name: "hci0", type: "wlan", soft: 1, hard: 1)
        try system.addSwitch("rfkill3", name: "hci1", soft: 0, hard: 1)
        try system.write("class/rfkill/rfkill4/type", "bluetooth\n")
        let listing = AdapterListing(folder: system.path)
        #expect(
            listing.radioSwitches == [
                .init(name: "a_switch", block: .none), .init(name: "hci1", block: .bySwitch),
                .init(name: "z_switch", block: .byProgram),
            ]
        )
        #expect(listing.adapters.map(\.block) == [.none])
    }

    @Test("of two switches of one name the one whose entry is first counts, and both are listed in that order")
    func sameName() throws {
        let system = try System()
        try system.addAdapter("hci0", on: nil)
        try system.addSwitch("rfkill1", name: "hci0", soft: 1, hard: 0)
        try system.addSwitch("rfkill2", name: "hci0", soft: 0, hard: 1)
        try system.addSwitch("rfkill3", name: "a_switch", soft: 0, hard: 1)
        try system.addSwitch("rfkill4", name: "a_switch", soft: 1, hard: 0)
        let listing = AdapterListing(folder: system.path)
        #expect(listing.adapters.map(\.block) == [.byProgram])
        #expect(listing.radioSwitches.map(\.block) == [.bySwitch, .byProgram])
    }
}
