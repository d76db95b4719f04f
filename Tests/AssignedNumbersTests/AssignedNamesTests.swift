// The names of 16-bit UUIDs, against the Bluetooth SIG's own list.

import BluetoothTypes
import Testing

@testable import AssignedNumbers

@Suite("The names of UUIDs")
struct AssignedNamesTests {
    /// UUIDs and names as the Bluetooth SIG lists them (Assigned Numbers, 3.4, 3.5, 3.7 and 3.8).
    private static let assigned = """
        1800 Generic Access
        1801 Generic Attribute
        1802 Immediate Alert
        1803 Link Loss
        1804 Tx Power
        1805 Current Time Service
        1806 Reference Time Update Service
        1807 Next DST Change Service
        1808 Glucose
        1809 Health Thermometer
        180A Device Information
        180D Heart Rate
        180E Phone Alert Status Service
        180F Battery Service
        1810 Blood Pressure
        1811 Alert Notification Service
        1812 Human Interface Device
        1813 Scan Parameters
        1814 Running Speed and Cadence
        1815 Automation IO
        1816 Cycling Speed and Cadence
        1818 Cycling Power
        1819 Location and Navigation
        181A Environmental Sensing
        181B Body Composition
        181C User Data
        181D Weight Scale
        181E Bond Management
        181F Continuous Glucose Monitoring
        1820 Internet Protocol Support
        1821 Indoor Positioning
        1822 Pulse Oximeter
        1823 HTTP Proxy
        1824 Transport Discovery
        1825 Object Transfer
        1826 Fitness Machine
        1827 Mesh Provisioning
        1828 Mesh Proxy
        1829 Reconnection Configuration
        183A Insulin Delivery
        183B Binary Sensor
        183C Emergency Configuration
        183D Authorization Control
        183E Physical Activity Monitor
        183F Elapsed Time
        1840 Generic Health Sensor
        1843 Audio Input Control
        1844 Volume Control
        1845 Volume Offset Control
        1846 Coordinated Set Identification Service
        1847 Device Time
        1848 Media Control Service
        1849 Generic Media Control Service
        184A Constant Tone Extension
        184B Telephone Bearer Service
        184C Generic Telephone Bearer Service
        184D Microphone Control
        184E Audio Stream Control Service
        184F Broadcast Audio Scan Service
        1850 Published Audio Capabilities Service
        1851 Basic Audio Announcement Service
        1852 Broadcast Audio Announcement Service
        1853 Common Audio
        1854 Hearing Access
        1855 Telephony and Media Audio
        1856 Public Broadcast Announcement
        1857 Electronic Shelf Label
        1858 Gaming Audio Service
        1859 Mesh Proxy Solicitation
        2800 Primary Service
        2801 Secondary Service
        2802 Include
        2803 Characteristic
        2900 Characteristic Extended Properties
        2901 Characteristic User Description
        2902 Client Characteristic Configuration
        2903 Server Characteristic Configuration
        2904 Characteristic Format
        2905 Characteristic Aggregate Format
        2906 Valid Range
        2907 External Report Reference
        2908 Report Reference
        2909 Number of Digitals
        290A Value Trigger Setting
        290B Environmental Sensing Configuration
        290C Environmental Sensing Measurement
        290D Environmental Sensing Trigger Setting
        290E Time Trigger Setting
        290F Complete BR-EDR Transport Block Data
        2910 Observation Schedule
        2911 Valid Range and Accuracy
        2A00 Device Name
        2A01 Appearance
        2A02 Peripheral Privacy Flag
        2A03 Reconnection Address
        2A04 Peripheral Preferred Connection Parameters
        2A05 Service Changed
        2A06 Alert Level
        2A07 Tx Power Level
        2A08 Date Time
        2A09 Day of Week
        2A0A Day Date Time
        2A0C Exact Time 256
        2A0D DST Offset
        2A0E Time Zone
        2A0F Local Time Information
        2A11 Time with DST
        2A12 Time Accuracy
        2A13 Time Source
        2A14 Reference Time Information
        2A16 Time Update Control Point
        2A17 Time Update State
        2A18 Glucose Measurement
        2A19 Battery Level
        2A1C Temperature Measurement
        2A1D Temperature Type
        2A1E Intermediate Temperature
        2A21 Measurement Interval
        2A22 Boot Keyboard Input Report
        2A23 System ID
        2A24 Model Number String
        2A25 Serial Number String
        2A26 Firmware Revision String
        2A27 Hardware Revision String
        2A28 Software Revision String
        2A29 Manufacturer Name String
        2A2A IEEE Regulatory Certification
        2A2B Current Time
        2A31 Scan Refresh
        2A32 Boot Keyboard Output Report
        2A33 Boot Mouse Input Report
        2A34 Glucose Measurement Context
        2A35 Blood Pressure Measurement
        2A36 Intermediate Cuff Pressure
        2A37 Heart Rate Measurement
        2A38 Body Sensor Location
        2A39 Heart Rate Control Point
        2A3F Alert Status
        2A40 Ringer Control Point
        2A41 Ringer Setting
        2A42 Alert Category ID Bit Mask
        2A43 Alert Category ID
        2A44 Alert Notification Control Point
        2A45 Unread Alert Status
        2A46 New Alert
        2A47 Supported New Alert Category
        2A48 Supported Unread Alert Category
        2A49 Blood Pressure Feature
        2A4A HID Information
        2A4B Report Map
        2A4C HID Control Point
        2A4D Report
        2A4E Protocol Mode
        2A4F Scan Interval Window
        2A50 PnP ID
        2A51 Glucose Feature
        2A52 Record Access Control Point
        2A53 RSC Measurement
        2A54 RSC Feature
        2A55 SC Control Point
        2A56 Digital
        2A58 Analog
        2A5A Aggregate
        2A5B CSC Measurement
        2A5C CSC Feature
        2A5D Sensor Location
        2A5E PLX Spot-Check Measurement
        2A5F PLX Continuous Measurement
        2A60 PLX Features
        2A63 Cycling Power Measurement
        2A64 Cycling Power Vector
        2A65 Cycling Power Feature
        2A66 Cycling Power Control Point
        2A67 Location and Speed
        2A68 Navigation
        2A69 Position Quality
        2A6A LN Feature
        2A6B LN Control Point
        2A6C Elevation
        2A6D Pressure
        2A6E Temperature
        2A6F Humidity
        2A70 True Wind Speed
        2A71 True Wind Direction
        2A72 Apparent Wind Speed
        2A73 Apparent Wind Direction
        2A74 Gust Factor
        2A75 Pollen Concentration
        2A76 UV Index
        2A77 Irradiance
        2A78 Rainfall
        2A79 Wind Chill
        2A7A Heat Index
        2A7B Dew Point
        2A7D Descriptor Value Changed
        2A80 Age
        2A85 Date of Birth
        2A87 Email Address
        2A8A First Name
        2A8C Gender
        2A8D Heart Rate Max
        2A8E Height
        2A90 Last Name
        2A92 Resting Heart Rate
        2A96 VO2 Max
        2A98 Weight
        2A99 Database Change Increment
        2A9A User Index
        2A9B Body Composition Feature
        2A9C Body Composition Measurement
        2A9D Weight Measurement
        2A9E Weight Scale Feature
        2A9F User Control Point
        2AA0 Magnetic Flux Density - 2D
        2AA1 Magnetic Flux Density - 3D
        2AA2 Language
        2AA3 Barometric Pressure Trend
        2AA4 Bond Management Control Point
        2AA5 Bond Management Feature
        2AA6 Central Address Resolution
        2AA7 CGM Measurement
        2AA8 CGM Feature
        2AA9 CGM Status
        2AAA CGM Session Start Time
        2AAB CGM Session Run Time
        2AAC CGM Specific Ops Control Point
        2AAD Indoor Positioning Configuration
        2AAE Latitude
        2AAF Longitude
        2AB5 Location Name
        2AB6 URI
        2ABC TDS Control Point
        2ABD OTS Feature
        2ABE Object Name
        2ABF Object Type
        2AC0 Object Size
        2AC3 Object ID
        2AC4 Object Properties
        2AC5 Object Action Control Point
        2AC6 Object List Control Point
        2AC7 Object List Filter
        2AC8 Object Changed
        2AC9 Resolvable Private Address Only
        2ACC Fitness Machine Feature
        2ACD Treadmill Data
        2ACE Cross Trainer Data
        2ACF Step Climber Data
        2AD0 Stair Climber Data
        2AD1 Rower Data
        2AD2 Indoor Bike Data
        2AD3 Training Status
        2AD9 Fitness Machine Control Point
        2ADA Fitness Machine Status
        2ADB Mesh Provisioning Data In
        2ADC Mesh Provisioning Data Out
        2ADD Mesh Proxy Data In
        2ADE Mesh Proxy Data Out
        2B29 Client Supported Features
        2B2A Database Hash
        2B3A Server Supported Features
        2B51 TMAP Role
        2B77 Audio Input State
        2B7B Audio Input Control Point
        2B7D Volume State
        2B7E Volume Control Point
        2B7F Volume Flags
        2B80 Volume Offset State
        2B81 Audio Location
        2B82 Volume Offset Control Point
        2B84 Set Identity Resolving Key
        2B85 Coordinated Set Size
        2B86 Set Member Lock
        2B87 Set Member Rank
        2B93 Media Player Name
        2B96 Track Changed
        2B97 Track Title
        2B98 Track Duration
        2B99 Track Position
        2BA3 Media State
        2BA4 Media Control Point
        2BB3 Bearer Provider Name
        2BBD Call State
        2BBE Call Control Point
        2BC3 Mute
        2BC4 Sink ASE
        2BC5 Source ASE
        2BC6 ASE Control Point
        2BC9 Sink PAC
        2BCA Sink Audio Locations
        2BCB Source PAC
        2BCC Source Audio Locations
        2BCD Available Audio Contexts
        2BCE Supported Audio Contexts
        2BDA Hearing Aid Features
        2BDB Hearing Aid Preset Control Point
        2BDC Active Preset Index
        """

    /// Letters and digits alone: the list differs in the others.
    private static func letters(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    @Test("are those of the Bluetooth SIG, and UUIDs are found by them")
    func names() throws {
        for line in Self.assigned.split(separator: "\n") {
            let value = try #require(UInt16(line.prefix(4), radix: 16))
            let name = try #require(AssignedNames[BluetoothUUID(value)], "\(line)")
            // Services are shown without the word.
            let isNamed = ["", "service"].contains { Self.letters(name) + $0 == Self.letters(line.dropFirst(5)) }
            #expect(isNamed, "\(line): \(name)")
        }
        #expect(AssignedNames.uuid(named: "heart rate measurement") == BluetoothUUID(0x2A37))
        // Both a service and a characteristic.
        #expect(AssignedNames.uuid(named: "Current Time") == nil)
        #expect(AssignedNames.uuid(named: "no such name") == nil)
    }

    @Test("are the SIG's from 0x1800 to 0x2FFF, and of companies from 0xFC00")
    func others() {
        let named = (UInt16.min ... .max).filter { AssignedNames[BluetoothUUID($0)] != nil }
        #expect(named.allSatisfy { (0x1800...0x2FFF).contains($0) })
        let owned = (UInt16.min ... .max).filter {
            AssignedNames[BluetoothUUID($0)] == nil && AssignedNames.name(of: BluetoothUUID($0)) != nil
        }
        #expect(owned.count > 600)
        #expect(owned.allSatisfy { $0 >= 0xFC00 })
    }

    @Test(
        "include services of companies by their UUIDs of 16 or 128 bits, which are not found by name",
        arguments: [
            // Of Apple, Google, Nordic Semiconductor, Google and Tile (Assigned Numbers, 3.11).
            ("FD6F", "Exposure Notification"), ("FDF0", "Audio Streaming for Hearing Aid"),
            ("FE59", "Nordic Secure DFU"), ("FEAA", "Eddystone"), ("FEED", "Tile"), ("FFFA", "ASTM Remote ID"),
            ("6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "Nordic UART"),
            ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", "UART RX"),
            ("6E400003-B5A3-F393-E0A9-E50E24DCCA9E", "UART TX"), ("6E40FFFF-B5A3-F393-E0A9-E50E24DCCA9E", nil),
            // From Apple's specifications of its notification center and media service.
            ("7905F431-B5CE-4E99-A40F-4B1E122D00D0", "Apple Notification Center"),
            ("89D3502B-0F36-433A-8EF4-C502AD55F8DC", "Apple Media"),
        ] as [(String, String?)]
    )
    func companies(text: String, name: String?) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(AssignedNames.name(of: uuid) == name)
        #expect(AssignedNames[uuid] == nil)
        #expect(name.flatMap(AssignedNames.uuid(named:)) == nil)
    }

    @Test("are completed from their beginnings")
    func beginnings() {
        #expect(AssignedNames.names(beginningWith: "heart rate m") == ["Heart Rate Max", "Heart Rate Measurement"])
        #expect(AssignedNames.names(beginningWith: "no such") == [])
    }
}
