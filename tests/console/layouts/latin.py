"""Lists in the Latin script, after exports of programs in America and Europe. The people are made up."""

# ruff: noqa: E501, RUF001 - the lines and letters of the files

from tests.console.layouts.layout import Layout

LATIN = {
    "Salesforce report": Layout(
        """
"First Name","Last Name","Account Name","Phone","Mobile","Do Not Call","Last Modified Date"
"Ada","Byron","Byron Mills","(201) 555-0123","","0","11/3/2026"
"Bo","Lee","Lee & Sons, Inc.","(201) 555-0124","(506) 234-5678","1","11/4/2026"
"Cy","Day","Day Care","1-201-555-0125 x12","(506) 234-5679","0","11/5/2026"

"Contacts with Phones"
"Copyright (c) 2000-2026 salesforce.com, inc. All rights reserved."
""",
        "+12015550123 Ada Byron\nno +15062345678\n+15062345679 Cy Day",
        country="US",
        refused=1,
        left_out=1,
    ),
    "HubSpot": Layout(
        """
"Record ID","First Name","Last Name","Email","Phone Number","Contact owner","Lead Status","Marketing contact status","Create Date"
"101","Ada","Byron","ada@example.com","+1 201-555-0123","Pat Poe","NEW","Marketing contact","2026-11-03 10:12"
"102","Bo","Lee","bo@example.com","+1 (506) 234-5678","","OPEN","Non-marketing contact","2026-11-04 11:00"
""",
        "+12015550123 Ada Byron\nno +15062345678",
    ),
    "Pipedrive": Layout(
        """
Person - Name,Person - Organization,Person - Phone - Work,Person - Phone - Mobile,Person - Email - Work,Person - Open deals
Ada Byron,Byron Mills,+44 121 234 5678,+44 7400 123456,ada@example.com,1
Bo Lee,,+44 121 234 5679,,bo@example.com,0
""",
        "+447400123456 Ada Byron\n+441212345679 Bo Lee",
    ),
    "Zoho CRM": Layout(
        """
Record Id,Lead Owner,First Name,Last Name,Company,Phone,Mobile,Email Opt Out,Created Time,Tag
zcrm_4150868000000376001,Pat,Asha,Rao,Rao Textiles,,081234 56789,false,2026-11-03 10:12:00,
zcrm_4150868000000376002,Pat,Dev,Nair,,07410410123,,false,2026-11-03 10:13:00,hot
zcrm_4150868000000376003,Pat,Ila,Sen,,,081234 56780,false,2026-11-03 10:13:00,
""",
        "+918123456789 Asha Rao\n+917410410123 Dev Nair\n+918123456780 Ila Sen",
        country="IN",
    ),
    "Mailchimp audience": Layout(
        '''
"Email Address","First Name","Last Name",Address,"Phone Number",MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,LAST_CHANGED,TAGS
ada@example.com,Ada,Byron,"1 Mill Rd  Trenton NJ 08608",201.555.0123,2,"2026-11-03 10:12:00",,"2026-11-03 10:12:00","2026-11-03 10:12:00","""vip"""
bo@example.com,Bo,Lee,,1-201-555-0125,2,,,"2026-11-03 10:12:00","2026-11-03 10:12:00",
cy@example.com,Cy,Day,,,2,,,"2026-11-03 10:12:00","2026-11-03 10:12:00",
''',
        "+12015550123 Ada Byron\n+12015550125 Bo Lee",
        country="US",
        refused=1,
    ),
    "Outlook": Layout(
        """
"Title","First Name","Middle Name","Last Name","Suffix","Company","Business Fax","Business Phone","Home Phone","Mobile Phone","Notes"
"","Ada","","Byron","","","+49 30 999999","+49 30 123456","","+49 1512 3456789",""
"Dr.","Bo","K.","Lee","","","","","030 123457","","old friend"
""",
        "+4915123456789 Ada Byron\n+4930123457 Bo Lee",
    ),
    "Google Contacts 2024": Layout(
        """
First Name,Middle Name,Last Name,Phonetic First Name,Nickname,Organization Name,Birthday,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value
Ada,,Byron,,,,,,* myContacts,* ,ada@example.com,Mobile,+33 6 12 34 56 78,Work,+33 1 23 45 67 89
Bo,,Lee,,,,,,* myContacts,,,Home,+33 1 23 45 67 88 ::: +33 6 12 34 56 79,,
""",
        "+33612345678 Ada Byron\n+33123456788 Bo Lee",
    ),
    "iCloud": Layout(
        """
BEGIN:VCARD
VERSION:3.0
PRODID:-//Apple Inc.//iCloud Web Address Book 2426B19//EN
N:Müller;Jörg;;;
FN:Jörg Müller
TEL;type=CELL;type=VOICE;type=pref:0151 23456789
item1.TEL:030 123456
item1.X-ABLabel:_$!<Other>!$_
END:VCARD
BEGIN:VCARD
VERSION:3.0
N:Byron;Ada;;;
FN:Ada Byron
TEL;type=HOME;type=VOICE:+44 121 234 5678
END:VCARD
""".replace("\n", "\r\n").lstrip(),
        "+4915123456789 Jörg Müller\n+441212345678 Ada Byron",
    ),
    "WooCommerce orders": Layout(
        """
Order Number,Order Status,Order Date,First Name (Billing),Last Name (Billing),Country Code (Billing),Email (Billing),Phone (Billing),Order Total Amount
1001,Completed,2026-11-03 10:12,Ada,Byron,GB,ada@example.com,07400 123456,45.00
1002,Completed,2026-11-03 10:15,Luc,Blanc,FR,luc@example.com,06 12 34 56 78,12.50
1003,Completed,2026-11-03 10:19,Eva,Kurz,DE,eva@example.com,0151 23456789,99.00
""",
        "+447400123456 Ada Byron\n+33612345678 Luc Blanc\n+4915123456789 Eva Kurz",
    ),
    "Shopify customers": Layout(
        """
Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address City,Default Address Country Code,Default Address Phone,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags
'6304,Ada,Byron,ada@example.com,yes,,Leeds,GB,07400 123456,'+447400123456,no,45.00,1,,no,
'6305,Bo,Lee,bo@example.com,no,,York,GB,07400 123457,,no,0.00,0,,no,
""",
        "+447400123456 Ada Byron\n+447400123457 Bo Lee",
    ),
    "Eventbrite attendees": Layout(
        """
Order #,Order Date,First Name,Surname,Email,Quantity,Ticket Type,Total Paid,Order Type,Cell Phone,Home Phone
10501,2026-11-03,Ada,Byron,ada@example.com,1,Early bird,20.00,PayPal,0400 123 456,
10502,2026-11-03,Bo,Lee,bo@example.com,1,Full,30.00,PayPal,,(02) 9123 4567
10503,2026-11-04,Cy,Day,cy@example.com,1,Full,30.00,PayPal,0400 123 457,
""",
        "+61400123456 Ada Byron\n+61291234567 Bo Lee\n+61400123457 Cy Day",
        country="AU",
    ),
    "Typeform": Layout(
        """
#,What's your name?,What's your phone number?,Which day suits you?,Response Type,Start Date (UTC),Stage Date (UTC),Submit Date (UTC),Network ID,Tags
8u2k1a,Ada Byron,'+447400123456,Monday,completed,2026-11-03 10:12:00,,2026-11-03 10:13:00,a1b2c3,
9v3l2b,Bo Lee,'+447400123457,Friday,completed,2026-11-03 11:12:00,,2026-11-03 11:13:00,b1c2d3,
""",
        "+447400123456 Ada Byron\n+447400123457 Bo Lee",
    ),
    "SurveyMonkey": Layout(
        """
Respondent ID,Collector ID,Start Date,End Date,IP Address,Contact details:,,,Will you come?
,,,,,Name,Email Address,Phone Number,Response
114200000001,460000001,11/03/2026 10:12:00 AM,11/03/2026 10:15:00 AM,192.0.2.7,Ada Byron,ada@example.com,(201) 555-0123,Yes
114200000002,460000001,11/03/2026 10:22:00 AM,11/03/2026 10:25:00 AM,192.0.2.8,Bo Lee,bo@example.com,(201) 555-0124,No
""",
        "+12015550123 Ada Byron\n+12015550124 Bo Lee",
        country="US",
    ),
    "KoboToolbox": Layout(
        """
"start";"end";"respondent/full_name";"respondent/phone_number";"consent";"_id";"_uuid";"_submission_time"
"2026-11-03T10:12:00.000+03:00";"2026-11-03T10:15:00.000+03:00";"Achieng Otieno";"0712123456";"yes";"5001";"0d2f5a9e-5a39-4a0c-9c3f-0a1b2c3d4e5f";"2026-11-03T07:15:10"
"2026-11-03T10:32:00.000+03:00";"2026-11-03T10:35:00.000+03:00";"Juma Kamau";"0712123457";"no";"5002";"0d2f5a9e-5a39-4a0c-9c3f-0a1b2c3d4e60";"2026-11-03T07:35:10"
""",
        "+254712123456 Achieng Otieno\nno +254712123457",
        country="KE",
        asks="Does the column “consent” say who must not be called?",
        answer="m4:may_be_called",
    ),
    "DATEV": Layout(
        """
"EXTF";700;16;"Debitoren/Kreditoren";5;20261103101200000;;"RE";"";"";29098;55003;20260101;4;;;"";"";;0
Konto;Name (Adressattyp Unternehmen);Unternehmensgegenstand;Name (Adressattyp natürl. Person);Vorname (Adressattyp natürl. Person);Straße;Postleitzahl;Ort;Telefon;Bemerkung (Telefon)
10000;"Mühle GmbH";;;;"Am Bach 1";"10115";"Berlin";"030/123456";
10001;;;"Größer";"Änne";"Am Bach 2";"10115";"Berlin";"030 / 12 34 57";"nur vormittags"
""",
        "+4930123456\n+4930123457 Änne Größer",
        charset="cp1252",
    ),
    "Sage 50": Layout(
        """
A/C,Name,Address 1,Address 2,Town,Postcode,Contact Name,Telephone,Fax,Balance
BYR001,Byron Mills Ltd,1 Mill Rd,,Leeds,LS1 1AA,Ada Byron,0121 234 5678,0121 234 9999,1204.50
LEE001,Lee & Sons,2 Mill Rd,,Leeds,LS1 1AB,Bo Lee,0121 234 5679,,0.00
DAY001,Day Care,3 Mill Rd,,Leeds,LS1 1AC,Cy Day,07400 123456,,12.00
,,,,,,,,Total,1216.50
""",
        "+441212345678 Ada Byron\n+441212345679 Bo Lee\n+447400123456 Cy Day",
        country="GB",
        left_out=1,
    ),
    "VICIdial": Layout(
        """
lead_id\tentry_date\tstatus\tvendor_lead_code\tlist_id\tgmt_offset_now\tcalled_since_last_reset\tphone_code\tphone_number\ttitle\tfirst_name\tlast_name\tstate\tpostal_code\talt_phone\tcomments
7001\t2026-11-03 10:12:00\tNEW\tA1\t101\t-5.00\tN\t1\t2015550123\t\tAda\tByron\tNJ\t08608\t\t
7002\t2026-11-03 10:12:00\tNA\tA2\t101\t0.00\tY\t44\t7400123456\t\tBo\tLee\t\tLS1 1AA\t\t
""",
        "+12015550123 Ada Byron\n+447400123456 Bo Lee",
    ),
    "NationBuilder": Layout(
        """
nationbuilder_id,first_name,last_name,phone_number,mobile_number,do_not_call,email_opt_in,primary_city,support_level
1,Ada,Byron,2015550123,,FALSE,TRUE,Trenton,2
2,Bo,Lee,2015550124,,TRUE,FALSE,Trenton,
3,Cy,Day,,5062345678,FALSE,TRUE,Trenton,1
""",
        "+12015550123 Ada Byron\nno +12015550124\n+15062345678 Cy Day",
        country="US",
        asks="Does the column “email_opt_in” say who must not be called?",
        answer="m6:variable",
    ),
    "VAN": Layout(
        """
Voter File VANID\tLastName\tFirstName\tMiddleName\tPreferred Phone\tHome Phone\tCell Phone\tmAddress\tAge\tSex
900001\tByron\tAda\t\t(201) 555-0123\t(201) 555-0123\t\t1 Mill Rd\t44\tF
900002\tLee\tBo\tK\t(506) 234-5678\t\t(506) 234-5678\t2 Mill Rd\t61\tM
""",
        "+12015550123 Ada Byron\n+15062345678 Bo Lee",
        country="US",
    ),
    "Moodle participants": Layout(
        """
"First name","Last name","ID number",Institution,Department,"Email address",Phone,"Mobile phone"
Ana,Silva,20261001,,,ana@example.com,"21 234 5678","912 345 678"
Rui,Costa,20261002,,,rui@example.com,,"912 345 679"
""",
        "+351912345678 Ana Silva\n+351912345679 Rui Costa",
        country="PT",
    ),
    "a school's list": Layout(
        """
Pupil;;;Parent;;
Surname;First name;Class;Name;Mobile;Notes
Byron;Ada;3a;Ann Byron;07400 123456;
Lee;Bo;3b;Ben Lee;07400 123457;allergic to nuts
Day;Cy;3b;Di Day;07400 123458;
Total: 3;;;;;
""",
        "+447400123456 Ann Byron\n+447400123457 Ben Lee\n+447400123458 Di Day",
        country="GB",
        left_out=1,
    ),
    "a surgery's appointments": Layout(
        """
Praxis Dr. Kurz - Termine am 30.11.2026

Uhrzeit;Patient;Geb.-Datum;Telefon;Behandler
08:00;Müller, Jörg;03.04.1961;0151 / 234 567 89;Kurz
08:15;Größer, Änne;12.12.1980;030-123456 (Mutter);Kurz
08:30;Blanc, Luc;01.01.1999;;Kurz
Summe: 3 Termine;;;;
Gedruckt am 28.11.2026 17:02;;;;
""",
        "+4915123456789 Müller, Jörg\n+4930123456 Größer, Änne",
        charset="cp1252",
        refused=1,
        left_out=2,
    ),
    "pandas": Layout(
        """
,name,phone,score
0,Ada Byron,2015550123.0,0.71
1,Bo Lee,2015550124.0,0.32
2,Cy Day,,0.55
""",
        "+12015550123 Ada Byron\n+12015550124 Bo Lee",
        country="US",
        refused=1,
    ),
    "an Indian list without +": Layout(
        """
Sr. No.,Customer Name,Mobile No.,City
1,Asha Rao,918123456789,Pune
2,Dev Nair,918123456780,Kochi
3,Ila Sen,917410410123,Kolkata
Total,,3,
""",
        "+918123456789 Asha Rao\n+918123456780 Dev Nair\n+917410410123 Ila Sen",
        country="IN",
        left_out=1,
    ),
    "numbers with ,0 and ,00": Layout(
        """
Nome;Cognome;Cellulare;Importo
Ada;Bianchi;3123456789,0;12,50
Bo;Neri;3123456788,00;9,00
Totale;;;21,50
""",
        "+393123456789 Ada Bianchi\n+393123456788 Bo Neri",
        country="IT",
        left_out=1,
    ),
    "Meta leads": Layout(
        """
id\tcreated_time\tad_id\tad_name\tcampaign_name\tform_id\tis_organic\tplatform\tfull_name\tphone_number\tlead_status
l:120210000000001\t2026-11-03T10:12:00+01:00\tag:120210000000002\tHerbst\tHerbst\tf:120210000000003\tfalse\tfb\tÄnne Größer\tp:+4915123456789\tCREATED
l:120210000000004\t2026-11-03T10:22:00+01:00\tag:120210000000002\tHerbst\tHerbst\tf:120210000000003\tfalse\tig\tLuc Blanc\tp:+33612345678\tCREATED
""",
        "+4915123456789 Änne Größer\n+33612345678 Luc Blanc",
        charset="utf-16",
        country="US",
    ),
    "the US registry's flat file": Layout(
        """
201,5550123
201,5550124
506,2345678
""",
        "+12015550123\n+12015550124\n+15062345678",
        country="US",
        into="dnc-list",
    ),
    "a Polish office, Windows-1250": Layout(
        """
Imię;Nazwisko;Telefon;Miasto
Świętosława;Żółć;512 345 678;Łódź
Paweł;Dąbrowski;12 345 67 89;Kraków
Małgorzata;Wiśniewska;512 345 679;Gdańsk
Razem: 3;;;
""",
        "+48512345678 Świętosława Żółć\n+48123456789 Paweł Dąbrowski\n+48512345679 Małgorzata Wiśniewska",
        charset="cp1250",
        country="PL",
        left_out=1,
    ),
    "a Turkish shop, Windows-1254": Layout(
        """
Ad Soyad;Cep Telefonu;Şehir
Ayşe Yıldız;0501 234 56 78;İstanbul
Gökçe Şahin;0501 234 56 79;Muğla
Toplam;2;
""",
        "+905012345678 Ayşe Yıldız\n+905012345679 Gökçe Şahin",
        charset="cp1254",
        changed={"charset": "windows-1254"},
        country="TR",
        left_out=1,
    ),
}
